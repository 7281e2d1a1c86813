//! What a job can use of its processes.

/// What a job can use.
#[derive(Clone, Copy)]
pub struct Room {
    pub processes: usize,
    /// Bytes in each process.
    pub memory: u64,
}

impl Room {
    /// Why a job cannot keep so many bytes, as timely does not spill to disk; half of them are for what is on its way.
    pub fn holds(self, bytes: u64) -> Result<(), String> {
        let each = bytes / self.processes as u64;
        if each + each / 2 <= self.memory {
            return Ok(());
        }
        Err(format!(
            "timely keeps all data in memory: {each} bytes for each process, and half as many on their way, do not fit into {}",
            self.memory
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::Room;

    #[test]
    fn what_does_not_fit_into_memory_is_refused() {
        let room = Room {
            processes: 2,
            memory: 300,
        };
        assert!(room.holds(400).is_ok());
        assert!(room.holds(402).is_err());
    }
}
