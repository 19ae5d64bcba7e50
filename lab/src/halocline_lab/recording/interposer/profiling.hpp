// The functions of MPI that the recorder calls, by their PMPI names, found when first called.
#pragma once

#include "finding.hpp"
#include "handles.hpp"

namespace halocline::pmpi {

#define HALOCLINE_LATE(name) inline const Late<decltype(PMPI_##name)> name("PMPI_" #name)

HALOCLINE_LATE(Allgather);
HALOCLINE_LATE(Bcast);
HALOCLINE_LATE(Cartdim_get);
HALOCLINE_LATE(Comm_dup);
HALOCLINE_LATE(Comm_free);
HALOCLINE_LATE(Comm_group);
HALOCLINE_LATE(Comm_remote_group);
HALOCLINE_LATE(Comm_test_inter);
HALOCLINE_LATE(Dist_graph_neighbors_count);
HALOCLINE_LATE(Get_count);
HALOCLINE_LATE(Get_elements_x);
HALOCLINE_LATE(Get_library_version);
HALOCLINE_LATE(Graph_neighbors_count);
HALOCLINE_LATE(Group_free);
HALOCLINE_LATE(Group_rank);
HALOCLINE_LATE(Group_size);
HALOCLINE_LATE(Group_translate_ranks);
HALOCLINE_LATE(Query_thread);
HALOCLINE_LATE(Recv);
HALOCLINE_LATE(Send);
HALOCLINE_LATE(Status_f2c);
HALOCLINE_LATE(Test_cancelled);
HALOCLINE_LATE(Topo_test);
HALOCLINE_LATE(Type_get_extent);
HALOCLINE_LATE(Type_get_true_extent);
HALOCLINE_LATE(Type_size);
HALOCLINE_LATE(Type_size_x);
HALOCLINE_LATE(Win_get_group);
#if MPI_VERSION >= 4 || defined(PMPI_Session_init) || defined(HALOCLINE_HAS_SESSIONS)
HALOCLINE_LATE(Group_from_session_pset);
#endif

// Some libraries have these as macros.
#ifdef MPI_Comm_f2c
inline MPI_Comm communicator(MPI_Fint number) { return MPI_Comm_f2c(number); }
inline MPI_Datatype type(MPI_Fint number) { return MPI_Type_f2c(number); }
inline MPI_Request request(MPI_Fint number) { return MPI_Request_f2c(number); }
inline MPI_Message message(MPI_Fint number) { return MPI_Message_f2c(number); }
inline MPI_Win window(MPI_Fint number) { return MPI_Win_f2c(number); }
#else
HALOCLINE_LATE(Comm_f2c);
HALOCLINE_LATE(Type_f2c);
HALOCLINE_LATE(Request_f2c);
HALOCLINE_LATE(Message_f2c);
HALOCLINE_LATE(Win_f2c);
inline MPI_Comm communicator(MPI_Fint number) { return Comm_f2c(number); }
inline MPI_Datatype type(MPI_Fint number) { return Type_f2c(number); }
inline MPI_Request request(MPI_Fint number) { return Request_f2c(number); }
inline MPI_Message message(MPI_Fint number) { return Message_f2c(number); }
inline MPI_Win window(MPI_Fint number) { return Win_f2c(number); }
#endif

#undef HALOCLINE_LATE

}  // namespace halocline::pmpi
