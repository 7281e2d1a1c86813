//! What waits for a network is counted apart from files, and outside calls are reported by their directories.

mod common;
use common::{compiled, text, World};
use serde_json::Value;

const THREADS: &str = "task=Executor task :server=rpc-";

fn counted(program: &str) -> Value {
    let mut w = World::bare();
    let dir = w.sub("counters");
    w.set("WEFT_COUNT_DIR", &dir);
    w.set("WEFT_COUNT_THREADS", THREADS);
    text(w.command(compiled(program, &["-lpthread"])).output().unwrap());
    serde_json::from_str(&w.tool(&["stats", dir.to_str().unwrap(), "--json"])).unwrap()
}

#[test]
fn receiving_and_sending_is_told_by_kind_of_thread() {
    let reported = counted("network");
    let network =
        |kind: &str, op: &str, figure: &str| reported["threads"][kind]["network"][op][figure].as_u64().unwrap();
    assert_eq!(network("task", "recv", "bytes"), 100, "{reported}");
    assert!(network("task", "recv", "count") >= 3, "{reported}");
    let calls = |kind| ["send", "poll", "epoll_wait"].map(|op| network(kind, op, "count"));
    assert_eq!((calls("task"), calls("server")), ([1, 1, 1], [2, 0, 0]), "{reported}");
    let bytes = |kind| ["recv", "send"].map(|op| network(kind, op, "bytes"));
    assert_eq!((bytes("task"), bytes("server")), ([100, 1], [1, 100]), "{reported}");
    // It waited for the first bytes, and for nothing afterwards.
    assert!(network("task", "poll", "ns") > network("task", "epoll_wait", "ns"), "{reported}");
    for file in ["read", "write"] {
        assert_eq!(reported["total"]["network"][file]["count"], 0, "{reported}");
        // The pair of sockets within the machine is no network.
        assert_eq!(reported["total"]["unnamed"][file]["count"], 1, "{reported}");
    }
}

#[test]
fn directories_of_no_class_are_named() {
    let reported = counted("kinds");
    let top = reported["other_directories"]["top"].as_array().unwrap();
    let etc = top.iter().find(|d| d["directory"] == "/etc").unwrap();
    assert_eq!(etc["opens"], reported["total"]["other"]["open"]["count"], "{reported}");
    assert_eq!(reported["other_directories"]["elsewhere"], 0);
}
