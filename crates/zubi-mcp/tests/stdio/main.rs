//! The MCP surface in process, as a client sees it: raw JSON lines over a duplex pipe, both eras of the protocol.

#[cfg(test)]
mod client;
#[cfg(test)]
mod conversation;
#[cfg(test)]
mod elicitation;
#[cfg(test)]
mod ending;
#[cfg(test)]
mod eras;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod real_client;
#[cfg(test)]
mod stateless;
#[cfg(test)]
mod tools;
