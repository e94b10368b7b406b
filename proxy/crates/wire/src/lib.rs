//! The MySQL protocol without I/O: frames, handshakes, commands, rows, values, error numbers.
