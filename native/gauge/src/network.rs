//! Round trips and bytes per second between two nodes over TCP. Only a peer that knows the token is answered.

use serde::Serialize;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

const MESSAGE: usize = 64;
const BLOCK: usize = 1 << 18;
const ECHO: u8 = b'e';
const TAKE: u8 = b't';

#[derive(Serialize)]
pub struct Rates {
    /// Seconds of a request and its answer, the median.
    pub round_trip: f64,
    /// Bytes per second, by number of connections.
    pub bandwidth: Vec<(usize, f64)>,
}

/// Answer peers until `patience` seconds pass without one. `ready` is called with the port.
pub fn serve(
    address: &str,
    token: &[u8],
    patience: f64,
    ready: impl FnOnce(u16),
) -> io::Result<()> {
    let listener = TcpListener::bind((address, 0))?;
    listener.set_nonblocking(true)?;
    ready(listener.local_addr()?.port());
    let mut last = Instant::now();
    while last.elapsed().as_secs_f64() < patience {
        match listener.accept() {
            Ok((stream, _)) => {
                last = Instant::now();
                stream.set_nonblocking(false)?;
                let token = token.to_vec();
                // an error of one peer ends its connection only
                thread::spawn(move || answer(stream, &token));
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                thread::sleep(Duration::from_millis(5));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn answer(mut peer: TcpStream, token: &[u8]) -> io::Result<()> {
    peer.set_nodelay(true)?;
    peer.set_read_timeout(Some(Duration::from_secs(30)))?;
    let mut shown = vec![0; token.len() + 1];
    peer.read_exact(&mut shown)?;
    if &shown[1..] != token {
        return Ok(());
    }
    match shown[0] {
        ECHO => echo(&mut peer),
        _ => take(&mut peer),
    }
}

fn echo(peer: &mut TcpStream) -> io::Result<()> {
    let mut message = [0; MESSAGE];
    while peer.read_exact(&mut message).is_ok() {
        peer.write_all(&message)?;
    }
    Ok(())
}

fn take(peer: &mut TcpStream) -> io::Result<()> {
    let mut block = vec![0; BLOCK];
    let mut bytes: u64 = 0;
    loop {
        match peer.read(&mut block)? {
            0 => break,
            count => bytes += count as u64,
        }
    }
    peer.write_all(&bytes.to_be_bytes())
}

/// Measure against a server.
pub fn measure(
    address: &str,
    token: &[u8],
    seconds: f64,
    connections: &[usize],
) -> io::Result<Rates> {
    let round_trip = round_trip(address, token, seconds / 4.0)?;
    let bandwidth = connections
        .iter()
        .map(|&count| Ok((count, sent(address, token, count.max(1), seconds)?)))
        .collect::<io::Result<_>>()?;
    Ok(Rates {
        round_trip,
        bandwidth,
    })
}

fn greeted(address: &str, token: &[u8], wish: u8) -> io::Result<TcpStream> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    stream.write_all(&[&[wish], token].concat())?;
    Ok(stream)
}

fn round_trip(address: &str, token: &[u8], seconds: f64) -> io::Result<f64> {
    let mut stream = greeted(address, token, ECHO)?;
    let mut message = [0; MESSAGE];
    let mut trips = Vec::new();
    let begin = Instant::now();
    while begin.elapsed().as_secs_f64() < seconds || trips.is_empty() {
        let before = Instant::now();
        stream.write_all(&message)?;
        stream.read_exact(&mut message)?;
        trips.push(before.elapsed().as_secs_f64());
    }
    trips.sort_unstable_by(f64::total_cmp);
    Ok(trips[trips.len() / 2])
}

/// Bytes per second that the server received over some connections at the same time.
fn sent(address: &str, token: &[u8], connections: usize, seconds: f64) -> io::Result<f64> {
    let mut streams = (0..connections)
        .map(|_| greeted(address, token, TAKE))
        .collect::<io::Result<Vec<_>>>()?;
    let begin = Instant::now();
    let bytes = crate::callers::each(&mut streams, |stream, begin| one(stream, begin, seconds))?;
    Ok(bytes.iter().sum::<u64>() as f64 / begin.elapsed().as_secs_f64())
}

fn one(stream: &mut TcpStream, begin: Instant, seconds: f64) -> io::Result<u64> {
    let block = vec![b'n'; BLOCK];
    while begin.elapsed().as_secs_f64() < seconds {
        stream.write_all(&block)?;
    }
    stream.shutdown(Shutdown::Write)?;
    let mut received = [0; 8];
    stream.read_exact(&mut received)?;
    Ok(u64::from_be_bytes(received))
}

#[cfg(test)]
mod tests {
    use super::{measure, serve};
    use std::sync::mpsc::channel;
    use std::thread;

    #[test]
    fn a_peer_with_the_token_is_measured_and_another_is_not_answered() {
        let (sender, receiver) = channel();
        thread::spawn(move || {
            serve("127.0.0.1", b"secret", 60.0, |port| {
                sender.send(port).unwrap()
            })
        });
        let address = format!("127.0.0.1:{}", receiver.recv().unwrap());
        let rates = measure(&address, b"secret", 0.1, &[1, 3]).unwrap();
        assert!(rates.round_trip > 0.0);
        assert!(rates.bandwidth.iter().all(|(_, rate)| *rate > 0.0));
        assert!(measure(&address, b"wrong!", 0.1, &[1]).is_err());
    }
}
