//! The control port of the first process: which processes are connected (GET /), and jobs (POST /).

use crate::jobs::Request;
use crate::proof::{nonce, prove, same};
use serde_json::{json, Value};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{channel, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// The header with a client's nonce: the port answers with its own, and proves that it knows the cluster's secret.
pub const NONCE: &str = "weft-nonce";
/// The header with which a job's client proves that it knows the secret.
pub const PROOF: &str = "weft-proof";
pub const SERVES: &str = "serves";
pub const SUBMITS: &str = "submits";
/// For a request.
const PATIENCE: Duration = Duration::from_secs(10);
/// Bytes of the largest request.
const LARGEST: u64 = 1 << 20;

/// A job's arguments, and where its outcome is sent.
pub struct Asked {
    pub words: Vec<String>,
    pub answer: Sender<Value>,
}

/// The processes that are connected, and whether all are.
#[derive(Clone)]
pub struct Status(Arc<Mutex<(Vec<String>, bool)>>);

impl Status {
    pub fn connected(&self, name: &str) {
        self.state().0.push(name.to_string());
    }

    pub fn ready(&self) {
        self.state().1 = true;
    }

    fn state(&self) -> std::sync::MutexGuard<'_, (Vec<String>, bool)> {
        self.0.lock().expect("no thread panics with it")
    }

    fn json(&self) -> Value {
        let (connected, ready) = self.state().clone();
        json!({"connected": connected, "ready": ready})
    }
}

/// An open control port.
pub struct Control {
    status: Status,
    jobs: Receiver<Asked>,
}

impl Control {
    /// Listen, in a thread of its own.
    pub fn start(address: SocketAddr, secret: &str, own: &str) -> Result<Self, String> {
        let listener = TcpListener::bind(address)
            .map_err(|error| format!("{address} could not be bound: {error}"))?;
        let status = Status(Arc::new(Mutex::new((vec![own.to_string()], false))));
        let (sender, jobs) = channel();
        let lock = Lock {
            secret: secret.to_string(),
            nonce: nonce().map_err(|error| error.to_string())?,
        };
        let known = status.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (known, lock, sender) = (known.clone(), lock.clone(), sender.clone());
                thread::spawn(move || {
                    if let Err(error) = serve(stream, &known, &lock, &sender) {
                        eprintln!("a request failed: {error}");
                    }
                });
            }
        });
        Ok(Self { status, jobs })
    }

    pub fn status(&self) -> Status {
        self.status.clone()
    }

    /// Wait for the next job.
    pub fn next(&self) -> Asked {
        self.jobs.recv().expect("the listener never ends")
    }
}

/// What only jobs of the cluster's user open.
#[derive(Clone)]
struct Lock {
    secret: String,
    nonce: String,
}

fn serve(
    mut stream: TcpStream,
    status: &Status,
    lock: &Lock,
    jobs: &Sender<Asked>,
) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    let asked = read(&stream)?;
    let (line, body) = (asked.line, asked.body);
    if line.starts_with("GET / ") {
        let mut known = status.json();
        if !asked.nonce.is_empty() {
            known["nonce"] = json!(lock.nonce);
            known["proof"] = json!(prove(&lock.secret, SERVES, &[&asked.nonce, &lock.nonce]));
        }
        return respond(&mut stream, "200 OK", &known);
    }
    if !line.starts_with("POST / ") {
        return respond(&mut stream, "404 Not Found", &json!({}));
    }
    let text = String::from_utf8_lossy(&body);
    let expected = prove(&lock.secret, SUBMITS, &[&lock.nonce, &text]);
    if !same(&asked.proof, &expected) {
        return respond(
            &mut stream,
            "403 Forbidden",
            &wrong("the secret is not the cluster's"),
        );
    }
    let words: Vec<String> = serde_json::from_slice(&body).unwrap_or_default();
    if let Err(problem) = Request::parse(&words) {
        return respond(&mut stream, "400 Bad Request", &wrong(&problem));
    }
    let (answer, answered) = channel();
    let ended = |_| io::Error::other("the workers have ended");
    jobs.send(Asked { words, answer }).map_err(|_| ended(()))?;
    let outcome = answered.recv().map_err(|_| ended(()))?;
    respond(&mut stream, "200 OK", &outcome)
}

fn wrong(reason: &str) -> Value {
    json!({"valid": false, "reason": reason})
}

/// A request: its first line, the two headers, and its body.
#[derive(Default)]
struct Received {
    line: String,
    nonce: String,
    proof: String,
    body: Vec<u8>,
}

fn read(stream: &TcpStream) -> io::Result<Received> {
    let mut reader = BufReader::new(stream.take(LARGEST));
    let (mut found, mut length) = (Received::default(), 0);
    reader.read_line(&mut found.line)?;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        let (name, value) = line.trim().split_once(':').unwrap_or_default();
        match name.to_ascii_lowercase().as_str() {
            NONCE => found.nonce = value.trim().to_string(),
            PROOF => found.proof = value.trim().to_string(),
            "content-length" => length = value.trim().parse().map_err(io::Error::other)?,
            _ => (),
        }
    }
    reader.take(length).read_to_end(&mut found.body)?;
    Ok(found)
}

fn respond(stream: &mut TcpStream, status: &str, body: &Value) -> io::Result<()> {
    let body = body.to_string();
    write!(
        stream,
        "HTTP/1.0 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

#[cfg(test)]
mod tests {
    use super::{prove, serve, Asked, Lock, Status, SUBMITS};
    use serde_json::json;
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};
    use std::sync::mpsc::channel;
    use std::sync::{Arc, Mutex};
    use std::thread;

    fn ask(request: &str) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (jobs, asked) = channel();
        thread::spawn(move || {
            while let Ok(Asked { answer, words }) = asked.recv() {
                answer
                    .send(json!({"valid": true, "ran": words[0]}))
                    .unwrap();
            }
        });
        let status = Status(Arc::new(Mutex::new((vec!["one".to_string()], false))));
        let server = thread::spawn(move || {
            let lock = Lock {
                secret: "right".to_string(),
                nonce: "n".to_string(),
            };
            serve(listener.accept().unwrap().0, &status, &lock, &jobs).unwrap();
        });
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut found = String::new();
        stream.read_to_string(&mut found).unwrap();
        server.join().unwrap();
        found
    }

    fn post(secret: &str, body: &str) -> String {
        let proof = prove(secret, SUBMITS, &["n", body]);
        ask(&format!(
            "POST / HTTP/1.0\r\nWeft-Proof: {proof}\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        ))
    }

    #[test]
    fn everybody_sees_who_is_connected() {
        let found = ask("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
        assert!(found.starts_with("HTTP/1.0 200"));
        assert!(found.ends_with(r#"{"connected":["one"],"ready":false}"#));
    }

    #[test]
    fn a_job_needs_the_secret_and_known_options() {
        let job = r#"["TeraSort","--input","x","--output","y"]"#;
        assert!(post("right", job).ends_with(r#"{"ran":"TeraSort","valid":true}"#));
        assert!(post("wrong", job).starts_with("HTTP/1.0 403"));
        assert!(post("", job).starts_with("HTTP/1.0 403"));
        assert!(post("right", r#"["TeraSort"]"#).starts_with("HTTP/1.0 400"));
        assert!(post("right", "no json").starts_with("HTTP/1.0 400"));
    }
}
