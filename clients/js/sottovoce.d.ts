/**
 * One collection that was answered
 */
export type Spent = {
    /**
     * its name
     */
    collection: string;
    /**
     * what it cost; null if it was answered before costs were written down: it counts as 2
     */
    epsilon: string | null;
    /**
     * when, ISO 8601
     */
    day: string;
    /**
     * whose answer it was
     */
    profile: number;
    /**
     * what it was for, as its plan said
     */
    purpose: string;
};
/**
 * How much may be spent, in so many days
 */
export type Limits = {
    budget: string;
    period: number;
    deviceBudget: string;
};
/**
 * What an answer would cost, to be shown before anything is drawn
 */
export type Cost = {
    /**
     * what this collection costs
     */
    epsilon: string;
    /**
     * the largest that this device answers
     */
    maxEpsilon: string;
    /**
     * what this person spent in the period
     */
    spent: string;
    /**
     * what all profiles spent in the period
     */
    deviceSpent: string;
    /**
     * how much may be spent
     */
    limits: Limits;
    /**
     * why it is not answered, in words; null if it may be
     */
    refusal: string | null;
    /**
     * what to show to the person
     */
    words: string;
};
export type LimitOptions = {
    budget?: number | string;
    period?: number;
    deviceBudget?: number | string;
};
export type Figures = Omit<Cost, "refusal" | "words">;
/**
 * A JSON object
 */
export type Document = Record<string, unknown>;
/**
 * What each member must be
 */
export type Members = Record<string, (value: any) => boolean>;
export type AnyAttribute = Ordinal | Numeric | Categorical;
/**
 * What an answer costs
 */
export type Charge = {
    collection: string;
    epsilon: string;
    purpose: string;
    maxEpsilon: string;
};
/**
 * What is kept of an answer
 */
export type Kept = {
    /**
     * the report, until it is acknowledged
     */
    report: string | null;
    /**
     * whether it is to be sent
     */
    wanted: boolean;
    /**
     * whether the collector has it
     */
    acknowledged: boolean;
};
export type Stores = {
    device: IDBObjectStore;
    spent: IDBObjectStore;
    reports: IDBObjectStore;
};
export type LedgerOptions = {
    /**
     * the epsilon that one person spends in a period; 4 unless said otherwise
     */
    budget?: string | number | undefined;
    /**
     * the days for which what was spent counts; 365 unless said otherwise
     */
    period?: number | undefined;
    /**
     * what all profiles spend together; twice the budget unless said otherwise
     */
    deviceBudget?: string | number | undefined;
    /**
     * gives the time it is
     */
    clock?: (() => Date) | undefined;
};
/**
 * The words in one language
 */
export type Shown = {
    title: string;
    question: string;
    unit: string;
    labels: string[];
};
export type Channel = RandomisedResponse | LocalHash | SquareWave | Parity;
export type Table = {
    bins: number;
    /**
     * whether it maps exactly that many levels
     */
    fits: (levels: number) => boolean;
    bin: (level: number) => number;
};
/**
 * What leaves the page
 */
export type Report = {
    plan: string;
    id: string;
    question: number;
    code: number;
};
export type Tries = {
    /**
     * how often a report is posted before it is left for later
     */
    attempts: number;
    /**
     * what waits between
     */
    wait: (milliseconds: number) => Promise<unknown>;
};
export type Options = {
    /**
     * the plan the page expects; by default the one that the address ends in
     */
    fingerprint?: string | undefined;
    /**
     * the plan's JSON, where the page holds it: it is then not fetched, and checked all the same
     */
    text?: string | undefined;
    /**
     * what this device has answered and spent; by default `await Ledger.open()`
     */
    ledger?: Ledger | undefined;
    /**
     * the largest epsilon that is answered, 2 by default: show people what you raise it to
     */
    maxEpsilon?: string | number | undefined;
    /**
     * a log of plans as somebody else than the collector mirrors it; the plan must be in it
     */
    log?: string | URL | Log | undefined;
    /**
     * the public key, 64 hexadecimal digits, by which the plan must be signed
     */
    signer?: string | undefined;
    /**
     * sent as a bearer token, where the collector requires one
     */
    token?: string | undefined;
    /**
     * how often `send` tries before it gives up for now, 4 by default
     */
    attempts?: number | undefined;
    /**
     * what waits between two tries
     */
    wait?: ((milliseconds: number) => Promise<unknown>) | undefined;
};
export type Explanation = {
    /**
     * the question that chance picked
     */
    question: string;
    /**
     * the groups it sorts people into, attribute by
     * attribute, and whether a group holds several parts of a scale
     */
    axes: {
        name: string;
        groups: string[];
        mixed: boolean;
    }[];
    /**
     * how many groups that makes, all attributes taken together
     */
    cells: bigint;
    /**
     * for each group whether the code speaks for it, the last attribute varying fastest;
     * null where there are too many groups to list
     */
    favoured: boolean[] | null;
    /**
     * what else might have been sent, what was sent among it: chance chose one
     * of these; null where there are too many
     */
    alternatives: Alternative[] | null;
    /**
     * the group that the record falls into, if one was given
     */
    own: number | null;
    /**
     * the probability that a code speaks for the group its sender is in
     */
    truthful: number;
    /**
     * how many times likelier the code is for one person than for any other, at the most
     */
    ratio: number;
};
/**
 * One of the codes that chance chose from
 */
export type Alternative = {
    /**
     * the groups that it speaks for
     */
    cells: number[];
    /**
     * whether it is the report's
     */
    sent: boolean;
    /**
     * how likely it was, for the record that was given
     */
    chance: number | null;
};
/**
 * How groups are named
 */
export type Words = {
    noAnswer: string;
    range: (low: string, high: string) => string;
    /**
     * from low on, and below high
     */
    below: (low: string, high: string) => string;
    /**
     * a label for each value; none where numbers speak for themselves
     */
    labels: (attribute: AnyAttribute) => string[];
    title: (attribute: AnyAttribute) => string;
    number: (number: number) => string;
};
/** A collection that would cost more privacy than this device is willing to spend: nothing is drawn. */
export class BudgetError extends SottovoceError {
}
/** Answers one plan for the person at this device. */
export class Client {
    /** @param {Plan} plan @param {string} url @param {Omit<Options, "log"> & {ledger: Ledger, log?: Log}} options */
    constructor(plan: Plan, url: string, options: Omit<Options, "log"> & {
        ledger: Ledger;
        log?: Log;
    });
    plan: Plan;
    ledger: Ledger;
    /** What answering costs, beside what was spent: show `words` before anything is drawn. @returns {Promise<Cost>} */
    cost(): Promise<Cost>;
    /**
     * What is kept of this person's answer, null before the draw: the report until it is counted, and whether it is.
     * @returns {Promise<{report: Report | null, acknowledged: boolean} | null>}
     */
    drawn(): Promise<{
        report: Report | null;
        acknowledged: boolean;
    } | null>;
    /** Whether a report was drawn on this device for this collection that the collector has not acknowledged. */
    pending(): Promise<boolean>;
    /**
     * Return the one wave in which this device reports, of a plan with waves: drawn, written down and paid for when it is
     * first asked, and the same ever after. Ask people in that wave alone, or in all: in any other `send` is silent.
     * @returns {Promise<number>}
     */
    turn(): Promise<number>;
    /**
     * Return this person's one report. The first call checks the record, draws and writes it down; every later call, in
     * this page or any other of this origin, returns the same report until it is counted. Another record than the one that
     * this client drew for is refused; records are compared in memory, and kept nowhere.
     * @param {Record<string, unknown>} record
     * @returns {Promise<Report>}
     */
    report(record: Record<string, unknown>): Promise<Report>;
    /**
     * Return a fresh report: **each call spends epsilon again** if the record is the same person's. For simulations; a
     * person's page calls `report` or `send`.
     * @param {Record<string, unknown>} record
     * @returns {Report}
     */
    draw(record: Record<string, unknown>): Report;
    /**
     * Draw this person's one report if that has not been done, and send it until the collector has it. After a failure or
     * a reload, call it again, with or without the record: the same bytes are sent. Of a plan with waves, a report is drawn
     * in the device's own turn alone.
     * @param {Record<string, unknown>} [record]
     * @param {{wave?: number}} [when] which wave it is, where the plan has no dates
     * @returns {Promise<Report | null>} the report, now counted; null if it was counted before, and is not kept, or if it is
     *   not this device's turn
     */
    send(record?: Record<string, unknown>, { wave }?: {
        wave?: number;
    }): Promise<Report | null>;
    /**
     * Send what `send` was asked to send before and could not, in this page or an earlier one; `load` calls it, and calls it
     * again when the browser is online again. A report that was only drawn is not sent.
     * @returns {Promise<boolean>} whether nothing waits any more
     */
    resume(): Promise<boolean>;
    #private;
}
/** What one person on this device answered and spent, and how much they are willing to. Made by `Ledger.open`. */
export class Ledger {
    /** Return the ledger of this origin, and take over what an older version kept. @param {LedgerOptions} [options] */
    static open(options?: LedgerOptions): Promise<Ledger>;
    /** @param {IDBDatabase} database @param {Limits} limits @param {() => Date} clock @param {number} profile */
    constructor(database: IDBDatabase, limits: Limits, clock: () => Date, profile: number);
    limits: Limits;
    profile: number;
    /** Return what an answer would cost, beside what was spent; nothing if it was answered. @param {Charge} charge @returns {Promise<Cost>} */
    cost(charge: Charge): Promise<Cost>;
    /** Return what was answered on this device, by all profiles, in order of days. @returns {Promise<Spent[]>} */
    entries(): Promise<Spent[]>;
    /** Return the day it is for this device; a clock that was set back changes nothing. @returns {Promise<string>} */
    today(): Promise<string>;
    /** Return what is kept of this person's answer to a collection, or null. @param {string} collection @param {number} [wave] */
    find(collection: string, wave?: number): Promise<Kept | null>;
    /**
     * Return what was drawn for a collection; `draw` is called only if nothing was, and the cost is affordable.
     * @param {Charge} charge the collection and its cost, which is paid once, whatever the number of its waves
     * @param {() => string} draw gives the report's JSON; called when the reservation is on disk
     * @param {{wave?: number, length?: number}} [options] which report of the collection it is, and what to reserve for it
     * @returns {Promise<Kept>}
     */
    drawOnce(charge: Charge, draw: () => string, { wave, length }?: {
        wave?: number;
        length?: number;
    }): Promise<Kept>;
    /** Take note that this person wants the report sent. @param {string} collection @param {number} [wave] */
    want(collection: string, wave?: number): Promise<void>;
    /** Take note that the collector has the report, and forget what it said. @param {string} collection @param {number} [wave] */
    acknowledge(collection: string, wave?: number): Promise<void>;
    /** How many profiles this device has. @returns {Promise<number>} */
    profiles(): Promise<number>;
    /** Return the ledger of one more person on this device, who has no name here: only within that person's own click. */
    openProfile(): Promise<Ledger>;
    /** Return the ledger of a profile that was opened, by its number; the first is 1. @param {number} number */
    ofProfile(number: number): Promise<Ledger>;
    #private;
}
/** A copy of a log, its chain checked. Made by `Log.parse`. */
export class Log {
    /** Return the log that a JSON text holds; one whose chain is broken is refused. @param {string} text */
    static parse(text: string): Promise<Log>;
    /** @param {Set<string>} plans @param {string} head */
    constructor(plans: Set<string>, head: string);
    head: string;
    /** Whether a plan is in the log. @param {{fingerprint: string}} plan */
    lists(plan: {
        fingerprint: string;
    }): boolean;
    #private;
}
/** @typedef {{plan: string, id: string, question: number, code: number}} Report What leaves the page */
/** What is asked of whom, and how every answer is randomised: public, checked and frozen. Made by `Plan.parse`. */
export class Plan {
    /**
     * Return the plan that a JSON text holds, having checked all of it, and that its fingerprint is the expected one.
     * @param {string} text
     * @param {string} [expected] 64 hexadecimal digits; left out, the document must state its own
     */
    static parse(text: string, expected?: string): Promise<Plan>;
    /** @param {any} document */
    constructor(document: any);
    document: any;
    /** @type {string} */ epsilon: string;
    /** @type {string} */ purpose: string;
    /** @type {string} */ contact: string;
    /** @type {string | null} */ expires: string | null;
    /** @type {AnyAttribute[]} */ attributes: AnyAttribute[];
    names: string[];
    /** The attributes that are choices of one question each, by its name. @type {Map<string, Categorical[]>} */
    choices: Map<string, Categorical[]>;
    /** @type {Family[]} */
    families: Family[];
    /** How often people are asked again; null if they are asked once. */
    waves: Waves | null;
    offsets: number[];
    ends: number[];
    fingerprint: string;
    collection: string;
    /** How many questions a wave has; all of them where there are no waves. */
    get perWave(): number;
    /** How many questions there are, those of every wave one after the other. */
    get count(): number;
    /** Return one question. @param {number} index */
    question(index: number): Question;
    /** Return the first wave's question whose stretch of the shares holds `position`, from 0 to 2^32 - 1. @param {number} position */
    locate(position: number): Question;
    /** Return the question of a turn: each wave as likely, the question by its share. No record is looked at. */
    drawTurn(): number;
    /** Return the record's level on every attribute, having checked all of it. @param {Record<string, unknown>} record */
    levels(record: Record<string, unknown>): number[];
    /**
     * Return one randomised report; all of the record is checked before a question is drawn.
     * @param {Record<string, unknown>} record
     * @param {string} [named] what the report names: the plan by its fingerprint, or its collection
     * @param {number} [turn] the question of this device's turn, where there are waves; drawn anew if left out
     */
    draw(record: Record<string, unknown>, named?: string, turn?: number): Report;
    #private;
}
/** A plan that cannot be read, trusted or answered in a browser. */
export class PlanError extends SottovoceError {
}
/** A record that does not fit the plan's schema. */
export class RecordError extends SottovoceError {
}
/** The report was drawn and is kept, but the collector has not counted it. */
export class SendError extends SottovoceError {
    /**
     * @param {string} message
     * @param {boolean} lasting whether sending the same report again cannot help
     * @param {number | null} retryAfter in how many seconds the collector asked to be tried again, if it did
     */
    constructor(message: string, lasting?: boolean, retryAfter?: number | null);
    lasting: boolean;
    retryAfter: number | null;
}
/**
 * Sottovoce for browsers: one module, no dependencies.
 *
 *     import { Sottovoce } from "./sottovoce.js";
 *     const client = await Sottovoce.load("https://collector.example/v1/plans/3f1c…");
 *     await client.send({ age: 34, income: 52000, region: "north" });
 *
 * A plan is a public list of questions. The client checks the whole record, draws one question, computes the cell that
 * the record falls into and draws a randomised code. Question and code are all that leaves the page. A report is drawn
 * **once** per collection: room for it is written down before the draw, the report before it is sent; whatever happens
 * after that, the same bytes are sent again, and forgotten when they are counted. A budget limits what all collections
 * together learn. Randomness is WebCrypto's, weights are integers out of 2^64: no float decides a draw.
 *
 * @module
 */
/** The way in: `await Sottovoce.load(url)`. */
export const Sottovoce: Readonly<{
    load: typeof load;
}>;
/** Errors: one tree; a message says what was given, what is allowed and what to do. */
/** Base of every error thrown on purpose. */
export class SottovoceError extends Error {
    constructor(message: string);
}
/** The device cannot remember that it answered, so nothing is drawn. */
export class StorageError extends SottovoceError {
}
/**
 * Return what a report of this plan says about its sender.
 * @param {Plan} plan
 * @param {Report} report
 * @param {{record?: Record<string, unknown>, words?: Partial<Words>}} [options] the record that it was drawn for, if it is
 *   to be said where that stands, and how groups are named; in English, and by the plan's own titles, unless said otherwise
 * @returns {Explanation}
 */
export function explain(plan: Plan, report: Report, { record, words }?: {
    record?: Record<string, unknown>;
    words?: Partial<Words>;
}): Explanation;
/** Integers from low to high, both included, one level each. */
declare class Ordinal extends Attribute {
    /** @param {any} document */
    constructor(document: any);
    /** @type {number} */ low: number;
    /** @type {number} */ high: number;
    /** @type {boolean} */ clip: boolean;
    /** @type {number[] | undefined} */ values: number[] | undefined;
    /** Return the integer of a level. @param {number} level @returns {number} */
    integer(level: number): number;
    /** Return the number that a value is, or that its label or its date stands for. @param {unknown} value @returns {number} */
    meant(value: unknown): number;
}
/** Real numbers in bins; a bin holds its lower edge, the last one its upper edge too. */
declare class Numeric extends Attribute {
    /** @param {any} document */
    constructor(document: any);
    /** @type {number[]} */
    boundaries: number[];
    /** @type {boolean} */ clip: boolean;
}
/** One of a list of strings; an integer stands for its digits, true and false for yes and no where these are the values. */
declare class Categorical extends Attribute {
    /** @param {any} document */
    constructor(document: any);
    values: string[];
    positions: Map<string, number>;
    yesNo: boolean;
    /** @type {string | undefined} */ other: string | undefined;
    /** @type {string | undefined} */ choiceOf: string | undefined;
}
/** Generalised randomised response: the true cell with weight `keep`, each other one with weight `other`. */
declare class RandomisedResponse {
    /** @param {bigint} cells @param {Epsilon} epsilon */
    constructor(cells: bigint, epsilon: Epsilon);
    kind: string;
    cells: bigint;
    codes: bigint;
    scale: bigint;
    other: bigint;
    keep: bigint;
    /** The probability that a code speaks for the cell its sender is in. */
    get truthful(): number;
    /** Return the code that a 64-bit word gives. @param {bigint} cell @param {bigint} word */
    answer(cell: bigint, word: bigint): bigint;
    /** Return a random code. @param {bigint} cell */
    draw(cell: bigint): bigint;
    /** Return a code's exact weight, out of `scale`. @param {bigint} cell @param {bigint} code */
    weight(cell: bigint, code: bigint): bigint;
}
/**
 * Local hashing: cells stand on points of F_q^t; the code is a random non-zero vector and the randomised response to
 * its product with the point, in one integer. More than 2^20 cells are placed in parts, each on digits of its own.
 */
declare class LocalHash {
    /** @param {readonly number[]} shape @param {Epsilon} epsilon @param {Placement} placement */
    constructor(shape: readonly number[], epsilon: Epsilon, placement: Placement);
    kind: string;
    cells: bigint;
    prime: bigint;
    response: RandomisedResponse;
    parts: {
        size: bigint;
        permutation: Permutation;
    }[];
    vectors: bigint;
    codes: bigint;
    scale: bigint;
    /** The probability that a code speaks for the cell its sender is in. */
    get truthful(): number;
    /** Return the number of the point on which a cell stands. @param {bigint} cell */
    point(cell: bigint): bigint;
    /** Return `<vector, point> mod q`, both read as digits in base q. @param {bigint} vector @param {bigint} cell */
    hash(vector: bigint, cell: bigint): bigint;
    /** Return the code that a vector and a 64-bit word give. @param {bigint} cell @param {bigint} vector @param {bigint} word */
    answer(cell: bigint, vector: bigint, word: bigint): bigint;
    /** Return a random code. @param {bigint} cell */
    draw(cell: bigint): bigint;
    /** Return a code's exact weight, out of `scale`. @param {bigint} cell @param {bigint} code */
    weight(cell: bigint, code: bigint): bigint;
}
/**
 * The square wave over ordered cells: cell v stands at place v + reach of cells + 2 reach places; the places within
 * reach of it have weight `near` each (the first `extra` of them one more), all others weight `far`.
 */
declare class SquareWave {
    /** @param {bigint} cells @param {Epsilon} epsilon */
    constructor(cells: bigint, epsilon: Epsilon);
    kind: string;
    cells: bigint;
    scale: bigint;
    reach: bigint;
    width: bigint;
    codes: bigint;
    far: bigint;
    near: bigint;
    extra: bigint;
    /** The weight of all near places together: what the far ones leave. */
    get nearTotal(): bigint;
    /** The probability that a code speaks for the cell its sender is in. */
    get truthful(): number;
    /** Return the code that a 64-bit word gives: near places first, in order, then the far ones. @param {bigint} cell @param {bigint} word */
    answer(cell: bigint, word: bigint): bigint;
    /** Return a random code. @param {bigint} cell */
    draw(cell: bigint): bigint;
    /** Return a code's exact weight, out of `scale`. @param {bigint} cell @param {bigint} code */
    weight(cell: bigint, code: bigint): bigint;
}
/** Randomised response on the exclusive or of a cell's digits, each of them one of as many bins. */
declare class Parity {
    /**
     * Return the channel for attributes of so many bins each.
     * @param {readonly number[]} shape @param {Epsilon} epsilon
     */
    static ofShape(shape: readonly number[], epsilon: Epsilon): Parity;
    /** @param {bigint} cells @param {bigint} bins @param {Epsilon} epsilon */
    constructor(cells: bigint, bins: bigint, epsilon: Epsilon);
    cells: bigint;
    response: RandomisedResponse;
    codes: bigint;
    kind: string;
    scale: bigint;
    keep: bigint;
    other: bigint;
    /** The probability that a code speaks for the cell its sender is in. */
    get truthful(): number;
    /** Return the exclusive or of a cell's digits. @param {bigint} cell */
    parity(cell: bigint): bigint;
    /** Return the code that a 64-bit word gives. @param {bigint} cell @param {bigint} word */
    answer(cell: bigint, word: bigint): bigint;
    /** Return a random code. @param {bigint} cell */
    draw(cell: bigint): bigint;
    /** Return a code's exact weight, out of `scale`. @param {bigint} cell @param {bigint} code */
    weight(cell: bigint, code: bigint): bigint;
}
/** Questions: which attributes are looked at, how a record becomes a cell, which channel randomises it, who is asked. */
/** The questions that look at the same attributes through every combination of the listed tables. */
declare class Family {
    /** @param {any} document @param {Table[]} tables @param {AnyAttribute[]} attributes */
    constructor(document: any, tables: Table[], attributes: AnyAttribute[]);
    /** @type {number[]} */ attributes: number[];
    /** @type {Table[][]} */
    tables: Table[][];
    /** @type {string} */ channel: string;
    count: number;
    /** @type {number | number[]} */ shares: number | number[];
    ends: number[] | null;
    total: number;
    /** Return every collection of bin numbers that a question of this family has, sorted, single bins left out. */
    shapes(): number[][];
    /** Return the question whose stretch of the family's share holds `position`. @param {number} position */
    locate(position: number): number;
    /** Return one question's share. @param {number} number */
    share(number: number): number;
    /** Return one table per attribute; the last attribute's table varies fastest. @param {number} number */
    choice(number: number): Table[];
}
/** How often people are asked again, and when. */
declare class Waves {
    /** @param {any} document */
    constructor(document: any);
    /** @type {number} */ number: number;
    /** @type {string | null} */ first: string | null;
    /** @type {number | null} */ days: number | null;
    /** Return a wave's number, the first being 1, if there is such a wave. @param {unknown} wave @returns {number} */
    check(wave: unknown): number;
    /** Return which wave it is on a day, null before the first and after the last. @param {string} day such as 2027-01-04 */
    on(day: string): number | null;
}
/** One question: the attributes it looks at, a table for each, the channel and its share out of 2^32. */
declare class Question {
    /** @param {number} index @param {Family} family @param {number} number @param {(kind: string, shape: number[]) => Channel} channel */
    constructor(index: number, family: Family, number: number, channel: (kind: string, shape: number[]) => Channel);
    index: number;
    attributes: number[];
    tables: Table[];
    share: number;
    shape: number[];
    channel: Channel;
    /** Return the cell of a record, given its level on every attribute. @param {readonly number[]} levels */
    cell(levels: readonly number[]): bigint;
}
/**
 * Return the client that answers the plan at an address, which is fetched, checked against its fingerprint, and kept: from
 * then on this works offline. What could not be sent before is sent, now and whenever the browser is online again.
 * @param {string | URL} url the plan's address at its collector, `…/v1/plans/{fingerprint}`
 * @param {Options} [options]
 * @returns {Promise<Client>}
 */
declare function load(url: string | URL, options?: Options): Promise<Client>;
/** What all attributes share. */
declare class Attribute {
    /** @param {any} document @param {number} valueLevels @param {string} domain */
    constructor(document: any, valueLevels: number, domain: string);
    /** @type {string} */ name: string;
    /** @type {boolean} */ nullable: boolean;
    document: any;
    valueLevels: number;
    size: number;
    domain: string;
    /** Return the title, question, unit and labels in a language, or as they are. @param {string} [language] */
    shown(language?: string): Shown;
    /** Return the level of one value; null, undefined and NaN are "no answer". @param {unknown} value @returns {number} */
    level(value: unknown): number;
    /** @param {unknown} value @returns {number} */
    valueLevel(value: unknown): number;
    /** What was given is not repeated: it may be somebody's answer, and pages send errors away. */
    refusal(): RecordError;
    /** @param {unknown} value @returns {number} */
    number(value: unknown): number;
}
/** An epsilon, and what every channel needs of it. */
declare class Epsilon {
    /** @param {string} text a plain decimal number */
    constructor(text: string);
    text: string;
    numerator: bigint;
    denominator: bigint;
    /** e^epsilon times 2^320. */
    growth: bigint;
}
/** A public permutation of the integers below `points`, by which cells are placed. */
declare class Permutation {
    /** @param {bigint} points @param {[bigint, bigint][]} rounds a multiplier and an addend each */
    constructor(points: bigint, rounds: [bigint, bigint][]);
    points: bigint;
    mask: bigint;
    shift: bigint;
    rounds: bigint[][];
    /** Return the place of a number: walk along the cycle until back among the points. @param {bigint} number */
    place(number: bigint): bigint;
}
/** The public placement of a plan: its prime, and a permutation for every number of digits that may occur. */
declare class Placement {
    /** Return the placement that a public seed gives. @param {Epsilon} epsilon @param {string} seed */
    static make(epsilon: Epsilon, seed: string): Promise<Placement>;
    /** @param {bigint} prime @param {Permutation[]} permutations of prime, prime^2, prime^3, ... points */
    constructor(prime: bigint, permutations: Permutation[]);
    prime: bigint;
    permutations: Permutation[];
    /** Return the smallest permutation with a point for each of so many bins. @param {bigint} bins */
    permutation(bins: bigint): Permutation;
}
export { Sottovoce as default };
