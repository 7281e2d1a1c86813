package io.weft.nexmark;

/** What an event is, with its share of each epoch of 50 events and its length on average, as in Nexmark. */
public enum Kind {
    PERSON('P', 1, 200), AUCTION('A', 3, 500), BID('B', 46, 100);

    /** Events of each epoch. */
    static final int EPOCH = 50;

    private final char letter;
    private final int share;
    private final int bytes;

    Kind(char letter, int share, int bytes) {
        this.letter = letter;
        this.share = share;
        this.bytes = bytes;
    }

    /** The first character of its line. */
    public char letter() {
        return letter;
    }

    /** How many of an epoch's events it is. */
    int share() {
        return share;
    }

    /** Of a line, on average. */
    int bytes() {
        return bytes;
    }

    /** The kind of the event with a number: first the person of its epoch, then auctions, then bids. */
    static Kind of(long number) {
        long at = number % EPOCH;
        return at < PERSON.share ? PERSON : at < PERSON.share + AUCTION.share ? AUCTION : BID;
    }
}
