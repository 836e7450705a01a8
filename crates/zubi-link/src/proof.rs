//! How the two ends of a TCP connection prove to each other that both have read the host's discovery file.
