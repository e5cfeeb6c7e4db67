/** The page: who answers, where they are on the way, and what is kept in memory of it until the page is left. */

import { load } from "../src/client.js";
import { BudgetError, RecordError, SendError, SottovoceError, StorageError } from "../src/errors.js";
import { Ledger } from "../src/ledger.js";
import { element } from "./dom.js";
import { chooseLanguage, Language } from "./language.js";
import * as steps from "./steps.js";

/** @typedef {import("../src/client.js").Client} Client */
/** @typedef {import("./items.js").Given} Given */
/** @typedef {import("./items.js").Values} Values */
/** @typedef {keyof typeof steps} Step */

/**
 * @typedef {object} Config What the page was made with
 * @property {any} plan
 * @property {string} fingerprint
 * @property {string} collector where reports are sent; empty for whoever serves the page
 * @property {string} organisation
 * @property {string} contact
 * @property {string} notice the address of the privacy notice
 * @property {string[]} languages
 * @property {Record<string, import("./language.js").Messages>} messages
 */

/** The steps between which a person goes back and forth before anything is drawn. */
const OPEN = ["welcome", "questions", "review"];

/** Where everything is that the steps show. */
export class Page {
  /** @type {Step} */ step = "welcome";
  /** What the form holds. @type {Map<string, Given>} */ answers = new Map();
  /** @type {Values | null} */ record = null;
  /** What was counted, and for whom it was drawn: shown once, kept nowhere. @type {import("./told.js").Drawn | null} */ drawn = null;
  /** @type {import("./told.js").Drawn | null} */ example = null;
  /** @type {{key: string, title?: string, values?: Record<string, string>}} */ why = { key: "lost" };
  /** Why the collector refuses, in its own words. */ reason = "";
  /** @type {(number: number) => void} */ focusField = () => {};
  /** One for each profile of this device. @type {Client[]} */ clients = [];
  /** @type {string[]} */ states = [];
  /** @type {import("../src/budget.js").Cost | null} */ cost = null;
  #busy = false;

  /** @param {Config} config */
  constructor(config) {
    this.config = config;
    this.language = this.#speak(chooseLanguage(config.languages, navigator.languages));
    this.pinned = location.hash.length > 1;
    this.address = `${config.collector || ""}/v1/plans/${config.fingerprint}`;
  }

  /** The person who answers now. @type {Client | undefined} */ #client;

  get client() {
    return /** @type {Client} */ (this.#client);
  }

  get plan() {
    return this.client.plan;
  }

  /** @param {string} code */
  #speak(code) {
    const language = new Language(this.config.messages[code], code);
    Object.assign(document.documentElement, { lang: code, dir: language.direction });
    const title = language.say("title");
    const heading = document.getElementById("title");
    if (heading && title) heading.textContent = title;
    if (title) document.title = title;
    return language;
  }

  /** Start: whoever answered before is told so, whatever waits is sent. */
  async start() {
    this.#chooser();
    addEventListener("popstate", ({ state }) => {
      if (OPEN.includes(this.step) && OPEN.includes(state?.step ?? "welcome")) this.#show(state?.step ?? "welcome");
    });
    addEventListener("online", () => this.step === "waiting" && this.send());
    if (!isSecureContext) return this.#close({ key: "insecure", title: "failed" });
    if (this.pinned && location.hash.slice(1) !== this.config.fingerprint) return this.#close({ key: "other_plan", title: "failed" });
    const ledger = await Ledger.open();
    const profiles = await ledger.profiles();
    for (let number = 1; number <= profiles; number += 1) this.clients.push(await this.#load(await ledger.ofProfile(number)));
    [this.#client] = this.clients;
    if (profiles === 1) return this.enter(this.clients[0]);
    this.states = await Promise.all(this.clients.map(stateOf));
    this.#show("people");
  }

  /** @param {Ledger} ledger */
  #load(ledger) {
    return load(this.address, { text: JSON.stringify(this.config.plan), ledger });
  }

  /** Let one more person of this device answer. */
  async openProfile() {
    const client = await this.#load(await this.client.ledger.openProfile());
    this.clients.push(client);
    await this.enter(client);
  }

  /** Go where a person stands: to be asked, waiting, done, or not asked. @param {Client} client */
  async enter(client) {
    this.#client = client;
    this.answers.clear();
    [this.record, this.drawn, this.example, this.reason] = [null, null, null, ""];
    this.notify("");
    await this.#stand();
  }

  async #stand() {
    const { plan, ledger } = this.client;
    const [drawn, cost, today, wave] = await Promise.all([this.client.drawn(), this.client.cost(), ledger.today(), waveWords(this.client)]);
    this.cost = cost;
    if (drawn?.acknowledged) this.#show("done");
    else if (drawn?.report) await this.send(); // agreed to before, and not counted yet
    else if (drawn) this.#close({ key: "lost" });
    else if (cost.refusal !== null) this.#close({ key: "budget" });
    else if (wave) this.#close(wave);
    else if (plan.expires !== null && today > plan.expires) this.#close({ key: "ended" });
    else this.#show("welcome");
  }

  /** Send, and show what was sent once it was counted; draw before if there is a record. @param {Values} [record] */
  async send(record) {
    if (this.#busy) return;
    this.#busy = true;
    if (this.step === "review") for (const made of document.querySelectorAll("main button")) made.setAttribute("disabled", "");
    this.notify(this.language.say("sending"));
    try {
      const report = await this.client.send(record);
      this.answers.clear();
      if (report) this.drawn = { report, record: record ?? this.record };
      if (report || this.plan.waves === null) {
        this.#show("done");
        this.notify(this.language.say("counted"), "good");
      } else {
        this.notify("");
        await this.#stand();
      }
      this.record = null;
    } catch (error) {
      this.#failed(error);
    } finally {
      this.#busy = false;
    }
  }

  /** @param {unknown} error */
  #failed(error) {
    if (!(error instanceof SottovoceError)) throw error;
    this.notify("");
    if (error instanceof SendError) {
      this.reason = error.lasting ? error.message : "";
      this.#show("waiting");
    } else if (error instanceof RecordError) {
      this.#show("questions");
      this.notify(error.message, "bad");
    } else if (error instanceof StorageError) this.#close({ key: "no_storage" });
    else if (error instanceof BudgetError) this.#close({ key: "budget" });
    else this.fail(error);
  }

  /** Say that nothing can be done here. @param {Error} error */
  fail(error) {
    if (error instanceof StorageError) this.#close({ key: "no_storage", title: "failed" });
    else this.notify(`${this.language.say("failed")}: ${error.message}`, "bad");
  }

  /** The figures that messages about privacy name. @returns {Record<string, string>} */
  figures() {
    if (this.cost === null) return {};
    const { expires } = this.plan;
    const { epsilon, spent, deviceSpent, limits } = this.cost;
    return { date: expires === null ? "" : this.language.date(expires), epsilon, spent, device: deviceSpent, budget: limits.budget, device_budget: limits.deviceBudget, period: String(limits.period) };
  }

  /** Go to a step before the draw, and to one of its fields. @param {Step} step @param {number} [field] */
  go(step, field) {
    history.pushState({ step }, "");
    this.#show(step);
    if (field !== undefined) this.focusField(field);
  }

  /** @param {{key: string, title?: string, values?: Record<string, string>}} why */
  #close(why) {
    this.why = why;
    this.#show("closed");
  }

  /** @param {Step} step */
  #show(step) {
    const moved = step !== this.step || step === "waiting";
    this.step = step === "review" && this.record === null ? "questions" : step;
    this.#render();
    if (!moved) return;
    this.notify("");
    const heading = /** @type {HTMLElement | null} */ (document.querySelector("#step h2"));
    scrollTo(0, 0);
    heading?.focus({ preventScroll: true });
  }

  #render() {
    document.body.dataset.step = this.step;
    document.getElementById("step")?.replaceChildren(steps[this.step](this));
  }

  /** Say how things are, also to those who do not see it. @param {string} text @param {"good" | "bad" | ""} [mood] */
  notify(text, mood = "") {
    const notice = /** @type {HTMLElement} */ (document.getElementById("notice"));
    notice.textContent = text;
    notice.className = `notice ${mood}`;
  }

  /** Offer the other languages. */
  #chooser() {
    const { languages, messages } = this.config;
    const place = /** @type {HTMLElement} */ (document.getElementById("language"));
    if (languages.length < 2) return;
    const label = element("label", { for: "languages" }, this.language.say("choose_language"));
    const options = languages.map((code) => element("option", { value: code, lang: code }, messages[code].name));
    const select = element("select", { id: "languages" }, ...options);
    select.value = this.language.code;
    select.addEventListener("input", () => {
      this.language = this.#speak(select.value);
      label.textContent = this.language.say("choose_language");
      this.notify("");
      if (this.#client || this.step === "closed") this.#render();
    });
    place.replaceChildren(label, select);
  }
}

/** Return the words for where a person stands. @param {Client} client */
async function stateOf(client) {
  const drawn = await client.drawn();
  if (!drawn) return "person_open";
  return drawn.report ? "person_waiting" : "person_answered";
}

/** Return why nobody is asked now, of a plan with waves; null if the person is. @param {Client} client */
async function waveWords(client) {
  const { waves, collection } = client.plan;
  if (waves === null) return null;
  const now = waves.on(await client.ledger.today());
  const turn = (await client.ledger.find(collection)) === null ? now : await client.turn();
  if (turn === now) return now === null ? { key: "wave_none" } : null;
  if (now === null || turn === null || turn < now) return { key: "wave_over" };
  return { key: "wave_later", values: { turn: String(turn), count: String(waves.number) } };
}
