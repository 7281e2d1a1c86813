//! What happens when a thread panics: the process ends, since the others cannot continue without it.

use std::panic;
use std::process;
use std::thread;
use std::time::Duration;

/// Longer than it takes to notice the process that was lost, so that it is the one that is named.
pub const PATIENCE: Duration = Duration::from_secs(5);

/// End the process when a thread panics; threads of connections name the other process first.
pub fn install(names: Vec<String>) {
    panic::set_hook(Box::new(move |info| {
        let current = thread::current();
        if let Some(name) = current.name().and_then(|thread| remote(thread, &names)) {
            eprintln!("error: the connection to {name} was lost");
            thread::sleep(PATIENCE);
        } else {
            eprintln!("error: {info}");
        }
        process::exit(101);
    }));
}

/// The process at the other end of one of timely's threads for connections, such as `timely:recv-1`.
fn remote<'a>(thread: &str, names: &'a [String]) -> Option<&'a str> {
    let index = thread
        .strip_prefix("timely:recv-")
        .or_else(|| thread.strip_prefix("timely:send-"))?;
    names.get(index.parse::<usize>().ok()?).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::remote;

    #[test]
    fn a_thread_of_a_connection_is_known_by_its_process() {
        let names = ["one".to_string(), "two".to_string()];
        assert_eq!(remote("timely:recv-1", &names), Some("two"));
        assert_eq!(remote("timely:send-0", &names), Some("one"));
        assert_eq!(remote("timely:work-0", &names), None);
        assert_eq!(remote("timely:recv-2", &names), None);
    }
}
