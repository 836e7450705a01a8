//! Tests of the port selection; `tests/link` tests the rest of `listener` with clients.

use super::*;

/// Binds some ports, until the listeners are dropped.
fn occupy_ports(count: usize) -> (Vec<std::net::TcpListener>, Vec<u16>) {
    let listeners: Vec<_> =
        (0..count).map(|_| std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap()).collect();
    let ports = listeners.iter().map(|listener| listener.local_addr().unwrap().port()).collect();
    (listeners, ports)
}

#[test]
fn the_ports_and_their_order() {
    assert_eq!(candidates(PortChoice::Default), [9847, 9848, 9849, 9850, 9851, 9852, 9853, 9854, 9855, 9856, 9857, 0]);
    assert_eq!(candidates(PortChoice::Fixed(4711)), [4711]);
    assert_eq!(candidates(PortChoice::None), [0; 0]);
}

#[tokio::test]
async fn an_occupied_port_is_skipped() {
    let (mut listeners, ports) = occupy_ports(2);
    // The second port becomes free.
    drop(listeners.pop());
    assert_eq!(take_port(ports.clone()).unwrap().1, ports[1]);
}

#[tokio::test]
async fn an_arbitrary_port_is_used_if_all_are_taken() {
    let (_listeners, ports) = occupy_ports(11);
    assert!(take_port(ports.clone()).is_none(), "no port is free");
    let (_, port) = take_port([ports.as_slice(), &[0]].concat()).unwrap();
    assert!(!ports.contains(&port));
}
