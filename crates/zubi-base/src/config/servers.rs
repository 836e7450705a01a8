//! The settings for language servers: the table `servers`, with one table for each server of the catalogue.
//!
//! A workspace can disable a server. Whether a server is confined, and whether it may use the network, is the user's
//! decision alone: a workspace file cannot set it, trusted or not.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// The settings of one layer for all servers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ServersLayer {
    /// Whether servers are confined.
    pub sandbox: Option<ServerSandboxMode>,
    /// The settings of single servers, by their id.
    #[serde(flatten)]
    pub by_id: BTreeMap<String, ServerLayer>,
}

/// The settings of one layer for one server of the catalogue.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ServerLayer {
    pub disabled: Option<bool>,
    /// Whether this server is confined.
    pub sandbox: Option<ServerSandboxMode>,
    /// Whether the server may use the network, if its row in the catalogue names a purpose.
    pub network: Option<bool>,
}

/// Whether zubi confines language servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ServerSandboxMode {
    /// As far as the machine can.
    On,
    Off,
}

/// The user's decisions about the confinement of servers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServerConfinement {
    layer: ServersLayer,
}

impl ServersLayer {
    /// Returns the keys that only the user's own file may set.
    pub(super) fn user_only_keys(&self) -> Vec<String> {
        let own = self.sandbox.map(|_| "servers.sandbox".to_owned());
        let of_servers = self.by_id.iter().flat_map(|(id, server)| {
            let keys = [("sandbox", server.sandbox.is_some()), ("network", server.network.is_some())];
            keys.into_iter().filter(|(_, is_set)| *is_set).map(move |(key, _)| format!("servers.{id}.{key}"))
        });
        own.into_iter().chain(of_servers).collect()
    }
}

impl ServerConfinement {
    pub(super) fn from_user(layer: &ServersLayer) -> Self {
        Self { layer: layer.clone() }
    }

    /// Returns the setting that turns the confinement of a server off, if one does.
    pub fn off_setting(&self, id: &str) -> Option<String> {
        let server = self.layer.by_id.get(id).and_then(|server| server.sandbox);
        match (server, self.layer.sandbox) {
            (Some(ServerSandboxMode::Off), _) => Some(format!("[servers.{id}] sandbox = \"off\"")),
            (None, Some(ServerSandboxMode::Off)) => Some("[servers] sandbox = \"off\"".to_owned()),
            _ => None,
        }
    }

    /// Whether the settings turn the confinement of any server off.
    pub fn is_any_off(&self) -> bool {
        let is_off = |mode: Option<ServerSandboxMode>| mode == Some(ServerSandboxMode::Off);
        is_off(self.layer.sandbox) || self.layer.by_id.values().any(|server| is_off(server.sandbox))
    }

    /// Whether the user allows a server to use the network.
    pub fn allows_network(&self, id: &str) -> bool {
        self.layer.by_id.get(id).and_then(|server| server.network) == Some(true)
    }
}

/// Not derived: `serde(flatten)` would lose the position of an error.
impl<'de> Deserialize<'de> for ServersLayer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TableVisitor;
        impl<'de> Visitor<'de> for TableVisitor {
            type Value = ServersLayer;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table of language servers")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ServersLayer, A::Error> {
                let mut layer = ServersLayer::default();
                while let Some(key) = map.next_key::<String>()? {
                    if key == "sandbox" {
                        layer.sandbox = Some(map.next_value()?);
                    } else {
                        layer.by_id.insert(key, map.next_value()?);
                    }
                }
                Ok(layer)
            }
        }
        deserializer.deserialize_map(TableVisitor)
    }
}
