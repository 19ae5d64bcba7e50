// The functions of PnetCDF that Halocline calls, made for one file whose layout lies beside it.
//
// As the real library does, it writes values big-endian, raises the count of records in the header
// when a record beyond it was written collectively or the file is closed after independent writes,
// and refuses requests out of bounds. OTHER_MPI makes it a library for another MPI.

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

namespace {

struct Variable {
  std::string name, kind;
  std::int64_t begin, size;
  std::vector<std::int64_t> shape;
};

struct Part {
  std::int64_t at;
  std::string bytes;
};

int handle = -1;
bool independent = false;
std::int64_t record_size, records, posted_records;
std::vector<Variable> variables;
std::vector<Part> posted;

constexpr int refused = -40;

std::int64_t read_count() {
  unsigned char bytes[8];
  std::int64_t count = 0;
  if (pread(handle, bytes, 8, 4) != 8) return 0;
  for (unsigned char byte : bytes) count = count << 8 | byte;
  return count;
}

int write_count() {
  char bytes[8];
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<char>(records >> (56 - 8 * i));
  return pwrite(handle, bytes, 8, 4) == 8 ? 0 : refused;
}

int write_posted() {
  int status = 0;
  for (const Part& part : posted) {
    auto size = static_cast<ssize_t>(part.bytes.size());
    if (pwrite(handle, part.bytes.data(), part.bytes.size(), part.at) != size) status = refused;
  }
  posted.clear();
  return status;
}

int post(const char* kind, int number, int parts, std::int64_t* const* starts,
         std::int64_t* const* counts, const void* values) {
  const Variable& variable = variables.at(static_cast<std::size_t>(number));
  if (variable.kind != kind) return refused;
  const char* next = static_cast<const char*>(values);
  for (int part = 0; part < parts; ++part) {
    std::int64_t element = 0, many = counts[part][0];
    if (many != 1 || starts[part][0] >= 1000) return refused;
    for (std::size_t axis = 0; axis < variable.shape.size(); ++axis) {
      std::int64_t start = starts[part][axis + 1], count = counts[part][axis + 1];
      bool last = axis + 1 == variable.shape.size();
      if (start < 0 || count < 1 || start + count > variable.shape[axis]) return refused;
      if (!last && count != 1) return refused;
      element = element * variable.shape[axis] + start;
      many *= count;
    }
    std::string bytes(next, static_cast<std::size_t>(many * variable.size));
    next += many * variable.size;
    for (auto at = bytes.begin(); at != bytes.end(); at += variable.size) {
      std::reverse(at, at + variable.size);
    }
    std::int64_t at = variable.begin + starts[part][0] * record_size + element * variable.size;
    posted.push_back({at, bytes});
    posted_records = std::max(posted_records, starts[part][0] + 1);
  }
  return 0;
}

}  // namespace

extern "C" {

#ifdef OTHER_MPI
int MPI_Get_library_version(char* text, int* size) {
  std::string version = "Another MPI 1.0, made for a test";
  *size = static_cast<int>(version.copy(text, version.size()));
  text[version.size()] = '\0';
  return 0;
}
#endif

const char* ncmpi_strerror(int) { return "The fake library refuses"; }

int ncmpi_open(void*, const char* path, int mode, void*, int* number) {
  if (mode != 1) return refused;
  std::ifstream layout(std::string(path) + ".layout");
  std::size_t count = 0;
  layout >> record_size >> count;
  variables.assign(count, {});
  for (Variable& variable : variables) {
    std::size_t axes = 0;
    layout >> variable.name >> variable.kind >> variable.begin >> variable.size >> axes;
    variable.shape.resize(axes);
    for (std::int64_t& length : variable.shape) layout >> length;
  }
  handle = open(path, O_RDWR);
  independent = false;
  records = read_count();
  posted_records = 0;
  *number = 7;
  return layout && handle >= 0 ? 0 : refused;
}

int ncmpi_inq_varid(int, const char* name, int* number) {
  for (std::size_t i = 0; i < variables.size(); ++i) {
    *number = static_cast<int>(i);
    if (variables[i].name == name) return 0;
  }
  return refused;
}

int ncmpi_begin_indep_data(int) {
  independent = true;
  return 0;
}

int ncmpi_wait(int, int all, void*, void*) {
  if (!independent || all != -1) return refused;
  records = std::max(records, posted_records);
  return write_posted();
}

int ncmpi_wait_all(int, int all, void*, void*) {
  if (independent || all != -1) return refused;
  int status = write_posted();
  if (posted_records > records) {
    records = posted_records;
    status |= write_count();
  }
  return status;
}

int ncmpi_close(int number) {
  int status = number == 7 ? 0 : refused;
  if (independent && records > read_count()) status |= write_count();
  close(handle);
  return status;
}

#define PUT(kind)                                                                             \
  int ncmpi_iput_varn_##kind(int file, int number, int parts, std::int64_t* const* starts,    \
                             std::int64_t* const* counts, const void* values, int* request) { \
    *request = 2;                                                                             \
    return file == 7 ? post(#kind, number, parts, starts, counts, values) : refused;          \
  }
PUT(text)
PUT(schar)
PUT(uchar)
PUT(short)
PUT(ushort)
PUT(int)
PUT(uint)
PUT(longlong)
PUT(ulonglong)
PUT(float)
PUT(double)

}  // extern "C"
