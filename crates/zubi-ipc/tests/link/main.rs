//! A host and its clients on real sockets.

#[cfg(test)]
mod connections;
#[cfg(test)]
mod impostors;
#[cfg(test)]
mod port_client;
#[cfg(test)]
mod unauthenticated;
#[cfg(test)]
mod world;
