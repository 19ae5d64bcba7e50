// The functions of PnetCDF that Halocline calls, on any number of CDF-5 files.
//
// As the real library does, it writes values big-endian, raises the count of records in the header
// when a record beyond it was written collectively or the file is closed after independent writes,
// and refuses requests out of bounds. It also refuses record 1000, to fail when a test wants it.
// OTHER_MPI makes it a library for another MPI.

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace {

struct Variable {
  std::string name, kind;
  std::int64_t begin, size;
  std::vector<std::int64_t> shape;  // of one record
};

struct Part {
  std::int64_t at;
  std::string bytes;
};

struct File {
  int handle = -1;
  bool independent = false;
  std::int64_t record_size = 0, records = 0, posted_records = 0;
  std::vector<Variable> variables{};
  std::vector<Part> posted{};
};

std::map<int, File> files;

constexpr int refused = -40;

/// Reads a header from its first byte on.
class Header {
 public:
  explicit Header(int handle) : content_(1 << 20, '\0') {
    content_.resize(static_cast<std::size_t>(
        std::max<ssize_t>(pread(handle, content_.data(), content_.size(), 0), 0)));
  }
  std::int64_t number(int size = 8) {
    std::int64_t value = 0;
    for (int i = 0; i < size; ++i) value = value << 8 | static_cast<unsigned char>(content_[at_++]);
    return value;
  }
  std::string text(std::int64_t size) {
    std::string value = content_.substr(at_, static_cast<std::size_t>(size));
    at_ += static_cast<std::size_t>((size + 3) / 4 * 4);
    return value;
  }
  std::string name() { return text(number()); }
  std::int64_t count() {
    number(4);
    return number();
  }
  void skip_attributes() {
    for (std::int64_t left = count(); left > 0; --left) {
      name();
      std::int64_t size = sizes[number(4)];
      text(number() * size);
    }
  }
  static constexpr int sizes[] = {0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8};
  static constexpr const char* kinds[] = {"",       "schar", "text",     "short",
                                          "int",    "float", "double",   "uchar",
                                          "ushort", "uint",  "longlong", "ulonglong"};

 private:
  std::string content_;
  std::size_t at_ = 0;
};

void read_header(File& file) {
  Header header(file.handle);
  header.number(4);
  file.records = header.number();
  std::vector<std::int64_t> lengths;
  for (std::int64_t left = header.count(); left > 0; --left) {
    header.name();
    lengths.push_back(header.number());
  }
  header.skip_attributes();
  for (std::int64_t left = header.count(); left > 0; --left) {
    Variable variable;
    variable.name = header.name();
    for (std::int64_t axes = header.number(); axes > 0; --axes) {
      variable.shape.push_back(lengths.at(static_cast<std::size_t>(header.number())));
    }
    header.skip_attributes();
    std::int64_t kind = header.number(4), size = header.number();
    variable.kind = Header::kinds[kind];
    variable.size = Header::sizes[kind];
    variable.begin = header.number();
    if (!variable.shape.empty() && variable.shape[0] == 0) {
      file.record_size += size;
      variable.shape.erase(variable.shape.begin());
    }
    file.variables.push_back(variable);
  }
}

std::int64_t read_count(const File& file) {
  unsigned char bytes[8];
  std::int64_t count = 0;
  if (pread(file.handle, bytes, 8, 4) != 8) return 0;
  for (unsigned char byte : bytes) count = count << 8 | byte;
  return count;
}

int write_count(const File& file) {
  char bytes[8];
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<char>(file.records >> (56 - 8 * i));
  return pwrite(file.handle, bytes, 8, 4) == 8 ? 0 : refused;
}

int write_posted(File& file) {
  int status = 0;
  for (const Part& part : file.posted) {
    auto size = static_cast<ssize_t>(part.bytes.size());
    if (pwrite(file.handle, part.bytes.data(), part.bytes.size(), part.at) != size)
      status = refused;
  }
  file.posted.clear();
  return status;
}

int post(const char* kind, int number, int name, int parts, std::int64_t* const* starts,
         std::int64_t* const* counts, const void* values) {
  File& file = files.at(number);
  const Variable& variable = file.variables.at(static_cast<std::size_t>(name));
  if (variable.kind != kind) return refused;
  const char* next = static_cast<const char*>(values);
  for (int part = 0; part < parts; ++part) {
    std::int64_t element = 0, many = counts[part][0];
    if (many != 1 || starts[part][0] == 1000) return refused;
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
    std::int64_t at = variable.begin + starts[part][0] * file.record_size + element * variable.size;
    file.posted.push_back({at, bytes});
    file.posted_records = std::max(file.posted_records, starts[part][0] + 1);
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
  int handle = mode == 1 ? open(path, O_RDWR) : -1;
  if (handle < 0) return refused;
  *number = handle + 100;
  read_header(files[*number] = {.handle = handle});
  return 0;
}

int ncmpi_inq_varid(int number, const char* name, int* variable) {
  const auto& variables = files.at(number).variables;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    *variable = static_cast<int>(i);
    if (variables[i].name == name) return 0;
  }
  return refused;
}

int ncmpi_begin_indep_data(int number) {
  files.at(number).independent = true;
  return 0;
}

int ncmpi_wait(int number, int all, void*, void*) {
  File& file = files.at(number);
  if (!file.independent || all != -1) return refused;
  file.records = std::max(file.records, file.posted_records);
  return write_posted(file);
}

int ncmpi_wait_all(int number, int all, void*, void*) {
  File& file = files.at(number);
  if (file.independent || all != -1) return refused;
  int status = write_posted(file);
  if (file.posted_records > file.records) {
    file.records = file.posted_records;
    status |= write_count(file);
  }
  return status;
}

int ncmpi_close(int number) {
  const File& file = files.at(number);
  int status = file.independent && file.records > read_count(file) ? write_count(file) : 0;
  close(file.handle);
  files.erase(number);
  return status;
}

#define PUT(kind)                                                                             \
  int ncmpi_iput_varn_##kind(int file, int number, int parts, std::int64_t* const* starts,    \
                             std::int64_t* const* counts, const void* values, int* request) { \
    *request = 2;                                                                             \
    return post(#kind, file, number, parts, starts, counts, values);                          \
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
