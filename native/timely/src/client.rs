//! Sends a job to the first process, and writes its outcome where the job's options want it.

use crate::control::{NONCE, PROOF, SERVES, SUBMITS};
use crate::failure::PATIENCE;
use crate::files;
use crate::proof::{nonce, prove, same};
use serde_json::{json, Value};
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;

/// Run a job. Exit code 0 if its result is right, 1 if not, 2 for options that it does not have.
pub fn submit(control: SocketAddr, secret: &str, job: &[String]) -> Result<ExitCode, String> {
    let (job, outcome) = separate(job);
    let answer = ask(control, secret, &job).map_err(|error| {
        // the process that was lost is named first
        thread::sleep(PATIENCE);
        format!("the connection to {control} was lost: {error}")
    })?;
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_default();
    let found: Value =
        serde_json::from_str(body).map_err(|error| format!("no outcome: {error}"))?;
    if let Some(path) = outcome {
        files::whole(&path, format!("{found}\n").as_bytes())
            .map_err(|error| format!("{}: {error}", path.display()))?;
    }
    if found["valid"] == true {
        return Ok(ExitCode::SUCCESS);
    }
    eprintln!("{}", found["reason"].as_str().unwrap_or("no reason"));
    let usage = head.split(' ').nth(1) == Some("400");
    Ok(ExitCode::from(if usage { 2 } else { 1 }))
}

/// The options of a job without that of its outcome, and the outcome's path.
fn separate(job: &[String]) -> (Vec<String>, Option<PathBuf>) {
    let mut left = job.to_vec();
    let found = left.iter().position(|word| word == "--outcome");
    let path = found.filter(|at| at + 1 < left.len()).map(|at| {
        let path = PathBuf::from(left.remove(at + 1));
        left.remove(at);
        path
    });
    (left, path)
}

fn ask(control: SocketAddr, secret: &str, job: &[String]) -> io::Result<String> {
    let (body, own) = (json!(job).to_string(), nonce()?);
    let found = exchange(
        control,
        &format!("GET / HTTP/1.0\r\n{NONCE}: {own}\r\n\r\n"),
    )?;
    let (_, found) = found.split_once("\r\n\r\n").unwrap_or_default();
    let found: Value = serde_json::from_str(found)?;
    let other = found["nonce"].as_str().unwrap_or_default();
    let proof = found["proof"].as_str().unwrap_or_default();
    if !same(proof, &prove(secret, SERVES, &[&own, other])) {
        let why = "it does not know the secret: the port may be somebody else's";
        return Err(io::Error::other(why));
    }
    let proof = prove(secret, SUBMITS, &[other, &body]);
    let length = body.len();
    exchange(
        control,
        &format!("POST / HTTP/1.0\r\n{PROOF}: {proof}\r\nContent-Length: {length}\r\n\r\n{body}"),
    )
}

/// Send a request, and receive its whole answer.
fn exchange(control: SocketAddr, request: &str) -> io::Result<String> {
    let mut stream = TcpStream::connect(control)?;
    crate::keepalive::set(&stream)?;
    stream.write_all(request.as_bytes())?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    if answer.is_empty() {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use super::{ask, separate};
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::thread;

    #[test]
    fn a_port_of_somebody_else_gets_neither_the_secret_nor_the_job() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let control = listener.local_addr().unwrap();
        let asking = thread::spawn(move || ask(control, "the secret", &["Job".to_string()]));
        let mut stream = listener.accept().unwrap().0;
        let mut learnt = [0; 1000];
        let length = stream.read(&mut learnt).unwrap();
        stream
            .write_all(b"HTTP/1.0 200 OK\r\n\r\n{\"nonce\":\"x\",\"proof\":\"y\"}")
            .unwrap();
        drop(stream);
        let learnt = String::from_utf8_lossy(&learnt[..length]).into_owned();
        assert!(
            !learnt.contains("the secret") && !learnt.contains("Job"),
            "{learnt}"
        );
        let failed = asking.join().unwrap().unwrap_err().to_string();
        assert!(failed.contains("does not know the secret"), "{failed}");
    }

    #[test]
    fn the_outcome_is_the_clients_and_everything_else_the_jobs() {
        let words = |text: &str| text.split(' ').map(str::to_string).collect::<Vec<_>>();
        let (job, outcome) = separate(&words("Job --a b --outcome x.json --c d"));
        assert_eq!(job, words("Job --a b --c d"));
        assert_eq!(outcome.unwrap().to_str(), Some("x.json"));
        assert_eq!(separate(&words("Job --a")).1, None);
    }
}
