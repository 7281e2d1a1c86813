//! Connections between all processes. timely authenticates nobody, so both ends first prove that they know the cluster's secret.

use crate::keepalive;
use crate::proof::{nonce, prove, same};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::str::FromStr;
use std::thread;
use std::time::Duration;

/// Between two attempts to connect to a process that has not started yet.
const RETRY: Duration = Duration::from_millis(50);
/// For each of the first lines of a connection.
const PATIENCE: Duration = Duration::from_secs(5);
/// Bytes of the longest of them.
const LONGEST: u64 = 1024;
const ACCEPTED: &str = "accepted\n";
const ACCEPTS: &str = "accepts";
const JOINS: &str = "joins";

/// A process of the cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Peer {
    pub name: String,
    pub address: SocketAddr,
}

impl FromStr for Peer {
    type Err = String;

    /// NAME=ADDRESS:PORT.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("--peer must be NAME=ADDRESS:PORT, not {text}");
        let (name, address) = text.split_once('=').ok_or_else(wrong)?;
        Ok(Self {
            name: name.to_string(),
            address: address.parse().map_err(|_| wrong())?,
        })
    }
}

/// A connection to each other process, by index; each connects to those before it. `seen` is called with those that connect.
pub fn connect(
    peers: &[Peer],
    index: usize,
    secret: &str,
    seen: impl Fn(usize),
) -> Result<Vec<Option<TcpStream>>, String> {
    let own = peers.get(index).ok_or("--index has no --peer")?;
    let listener = TcpListener::bind(own.address)
        .map_err(|error| format!("{} could not be bound: {error}", own.address))?;
    let mut sockets: Vec<Option<TcpStream>> = peers.iter().map(|_| None).collect();
    for (socket, peer) in sockets.iter_mut().zip(&peers[..index]) {
        *socket =
            Some(join(peer, index, secret).map_err(|error| format!("{} {error}", peer.name))?);
    }
    while sockets[index + 1..].iter().any(Option::is_none) {
        let (stream, from) = listener.accept().map_err(|error| error.to_string())?;
        match admit(stream, secret) {
            Ok((other, stream)) if other > index && other < peers.len() => {
                seen(other);
                sockets[other] = Some(stream);
            }
            Ok((other, _)) => eprintln!("refused {from}: it is no process {other} of this cluster"),
            Err(error) => eprintln!("refused {from}: {error}"),
        }
    }
    Ok(sockets)
}

/// Connect to a process, which may start later.
fn join(peer: &Peer, index: usize, secret: &str) -> io::Result<TcpStream> {
    let mut stream = loop {
        match TcpStream::connect(peer.address) {
            Ok(stream) => break stream,
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => thread::sleep(RETRY),
            Err(error) => return Err(error),
        }
    };
    keepalive::set(&stream)?;
    let (index, own) = (index.to_string(), nonce()?);
    stream.write_all(format!("{index} {own}\n").as_bytes())?;
    let line = read_line(&stream)?;
    let (other, proof) = line.split_once(' ').unwrap_or_default();
    if !same(proof, &prove(secret, ACCEPTS, &[&index, &own, other])) {
        return Err(io::Error::other(
            "does not know the secret: its port may be somebody else's",
        ));
    }
    let proof = prove(secret, JOINS, &[&index, &own, other]);
    stream.write_all(format!("{proof}\n").as_bytes())?;
    let mut answer = [0; ACCEPTED.len()];
    stream
        .read_exact(&mut answer)
        .map_err(|_| io::Error::other("refused this process: another secret"))?;
    Ok(stream)
}

/// The index of the process that has connected.
fn admit(mut stream: TcpStream, secret: &str) -> io::Result<(usize, TcpStream)> {
    keepalive::set(&stream)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let (line, own) = (read_line(&stream)?, nonce()?);
    let (index, other) = line.split_once(' ').unwrap_or_default();
    let proof = prove(secret, ACCEPTS, &[index, other, &own]);
    stream.write_all(format!("{own} {proof}\n").as_bytes())?;
    if !same(
        &read_line(&stream)?,
        &prove(secret, JOINS, &[index, other, &own]),
    ) {
        return Err(io::Error::other("it does not know the secret"));
    }
    let index = index.parse().map_err(io::Error::other)?;
    stream.set_read_timeout(None)?;
    stream.write_all(ACCEPTED.as_bytes())?;
    Ok((index, stream))
}

/// The other end waits for the answer before it sends more, so that the buffer holds nothing else.
fn read_line(stream: &TcpStream) -> io::Result<String> {
    let mut line = String::new();
    BufReader::new(stream.take(LONGEST)).read_line(&mut line)?;
    Ok(line.trim_end_matches('\n').to_string())
}

#[cfg(test)]
mod tests {
    use super::{admit, connect, join, Peer};
    use std::io::{Read, Write};
    use std::net::{Shutdown, TcpListener};
    use std::thread;

    fn peer(name: &str, listener: &TcpListener) -> Peer {
        let address = listener.local_addr().unwrap();
        format!("{name}={address}").parse().unwrap()
    }

    #[test]
    fn a_process_alone_needs_no_connection() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let alone = peer("one", &listener);
        drop(listener);
        assert_eq!(connect(&[alone], 0, "x", |_| ()).unwrap().len(), 1);
    }

    #[test]
    fn a_process_with_another_secret_is_refused() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let first = peer("one", &listener);
        for (secret, right) in [("right", true), ("wrong", false), ("", false)] {
            let first = first.clone();
            let joining = thread::spawn(move || join(&first, 1, secret).is_ok());
            let admitted = admit(listener.accept().unwrap().0, "right");
            assert_eq!(admitted.is_ok(), right);
            drop(admitted);
            assert_eq!(joining.join().unwrap(), right);
        }
    }

    #[test]
    fn a_port_of_somebody_else_does_not_learn_the_secret() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let first = peer("one", &listener);
        let joining =
            thread::spawn(move || join(&first, 1, "the secret").map_err(|e| e.to_string()));
        let mut stream = listener.accept().unwrap().0;
        stream.write_all(b"1234 abcd\n").unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        let mut learnt = String::new();
        stream.read_to_string(&mut learnt).unwrap();
        assert!(!learnt.contains("the secret"), "{learnt}");
        assert_eq!(learnt.lines().count(), 1);
        let failed = joining.join().unwrap().unwrap_err();
        assert!(failed.contains("does not know the secret"), "{failed}");
    }

    #[test]
    fn a_peer_without_a_port_is_refused() {
        assert!("one=10.0.0.1".parse::<Peer>().is_err());
        assert!("10.0.0.1:80".parse::<Peer>().is_err());
    }
}
