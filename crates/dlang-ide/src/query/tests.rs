mod collections;
mod listing;
mod recorded;
mod serializing;
