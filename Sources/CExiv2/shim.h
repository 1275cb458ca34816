// exiv2's headers are C++, which only CPhotoMetadata includes: this says where the library is.
