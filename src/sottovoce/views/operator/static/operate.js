"use strict";
// The operator's page. Whatever the collector says is shown as text and never read as markup. The token stands in this
// tab's memory and session alone, and goes to the collector in a header.
(() => {
  const KEPT = "sottovoce-operator-token";
  const EVERY = 5000;
  const MOST_DAYS = 90;
  const main = document.getElementById("operate");
  const about = document.getElementById("about");
  const live = document.getElementById("live");
  const number = new Intl.NumberFormat("en");
  const cards = new Map();
  let token = sessionStorage.getItem(KEPT) || "";
  let looking = null;
  let shown = null;

  /** Make an element; what is given as a child is text, or another element. */
  function make(tag, about = {}, ...children) {
    const space = ["svg", "rect", "line", "title"].includes(tag) ? "http://www.w3.org/2000/svg" : null;
    const made = space ? document.createElementNS(space, tag) : document.createElement(tag);
    for (const [name, value] of Object.entries(about)) {
      if (typeof value === "function") made.addEventListener(name, value);
      else if (value === true) made.setAttribute(name, "");
      else if (value !== false && value !== null) made.setAttribute(name, String(value));
    }
    made.append(...children);
    return made;
  }

  function say(words, bad = false) {
    live.textContent = words;
    live.classList.toggle("bad", bad);
  }

  class Refused extends Error {}

  /** Ask the collector; throw what it says in words if it refuses. */
  async function ask(method, path, body) {
    let answer;
    try {
      answer = await fetch(path, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        body,
        credentials: "omit",
        cache: "no-store",
        referrerPolicy: "no-referrer",
      });
    } catch {
      throw new Error("The collector does not answer.");
    }
    const told = await answer.json().catch(() => ({}));
    if (answer.ok) return told;
    const detail = typeof told.detail === "string" ? told.detail : faults(told.detail);
    const words = detail || `The collector says ${answer.status}.`;
    throw answer.status === 401 || answer.status === 403 ? new Refused(words) : new Error(words);
  }

  function faults(detail) {
    return Array.isArray(detail) ? detail.map((one) => `${one.loc.slice(1).join(".")}: ${one.msg}`).join("; ") : "";
  }

  /** Do what a button stands for, which waits meanwhile; say what went wrong. */
  function acting(act) {
    return async (event) => {
      event.preventDefault();
      const pressed = event.submitter || event.currentTarget;
      pressed.disabled = true;
      try {
        await act(event);
      } catch (error) {
        failed(error);
      } finally {
        pressed.disabled = false;
        if (document.activeElement === document.body) pressed.focus();
      }
    };
  }

  function failed(error) {
    if (error instanceof Refused) signOut(error.message);
    else say(error.message, true);
  }

  function signOut(words) {
    token = "";
    sessionStorage.removeItem(KEPT);
    cards.clear();
    shown = null;
    about.textContent = "";
    say(words, words !== "");
    const typed = { type: "password", name: "token", autocomplete: "off", required: true, spellcheck: "false" };
    const field = make("input", typed);
    const form = make(
      "form",
      { class: "card", submit: acting(async () => {
        token = field.value.trim();
        await look();
        if (token) sessionStorage.setItem(KEPT, token);
      }) },
      make("label", {}, "operator's token", field),
      make("button", { class: "primary" }, "Open"),
      make("p", { class: "soft" }, "On the collector's machine: sottovoce token create NAME --role operator"),
    );
    main.replaceChildren(form);
    field.focus();
  }

  /** Ask before something is done that people notice. */
  function sure(question, words, yes) {
    return new Promise((resolve) => {
      const box = make("dialog", { "aria-labelledby": "sure-title" });
      box.append(
        make("h2", { id: "sure-title" }, question),
        make("p", {}, words),
        make("div", { class: "choices" },
          make("button", { class: "danger", click: () => box.close("yes") }, yes),
          make("button", { click: () => box.close("no") }, "Cancel")),
      );
      box.addEventListener("close", () => {
        box.remove();
        resolve(box.returnValue === "yes");
      });
      document.body.append(box);
      box.showModal();
    });
  }

  function bytes(count) {
    const units = ["B", "kB", "MB", "GB", "TB"];
    const step = Math.min(units.length - 1, count > 0 ? Math.floor(Math.log10(count) / 3) : 0);
    return `${number.format(Math.round((10 * count) / 1000 ** step) / 10)} ${units[step]}`;
  }

  const points = (fraction) => `${(100 * fraction).toFixed(fraction < 0.01 ? 2 : 1)}`;
  const short = (digest) => digest.slice(0, 12);
  const title = (line) => line.purpose || `Collection ${short(line.collection)}`;

  /** Every day from the first that has reports to yesterday, and how many it had; the last ninety. */
  function everyDay(line, day) {
    const counted = new Map(line.days.map((one) => [one.day, one.reports]));
    const found = [];
    for (let at = new Date(`${day}T00:00Z`), back = 1; back < MOST_DAYS; back += 1) {
      at.setUTCDate(at.getUTCDate() - 1);
      found.unshift([at.toISOString().slice(0, 10), counted.get(at.toISOString().slice(0, 10)) || 0]);
    }
    const first = found.findIndex((one) => one[1] > 0);
    return first < 0 ? [] : found.slice(first);
  }

  function chart(line, day) {
    const days = [...everyDay(line, day), [day, line.today]];
    const most = Math.max(10, ...days.map((one) => one[1]));
    const width = 600 / Math.max(days.length, 7);
    const [top, now] = [most, line.today].map((count) => number.format(count));
    const words = `Reports per day, ${days[0][0]} to ${day}: at most ${top} on a day, today about ${now}.`;
    const any = days.some((one) => one[1] > 0);
    const bars = days.map(([name, count], at) => make(
      "rect",
      { class: name === day ? "today" : "day", x: at * width + 1, y: 118 - (116 * count) / most,
        width: Math.max(width - 2, 0.5), height: (116 * count) / most },
      make("title", {}, `${name}: ${name === day ? "about " : ""}${number.format(count)}`),
    ));
    return [
      make("svg", { viewBox: "0 0 600 120", preserveAspectRatio: "none", role: "img", "aria-label": words }, ...bars,
        make("line", { class: "axis", x1: 0, x2: 600, y1: 119, y2: 119 })),
      make("p", { class: "scale" }, make("span", {}, days[0][0]),
        make("span", {}, any ? `most ${top}` : "no reports yet"),
        ...(days.length > 1 ? [make("span", {}, "today")] : [])),
    ];
  }

  function table(names, rows) {
    const cell = (tag, value, at) =>
      make(tag, { class: at ? "number" : null, scope: tag === "th" ? "col" : null }, value);
    return make("table", {}, make("thead", {}, make("tr", {}, ...names.map((name, at) => cell("th", name, at)))),
      make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map((value, at) => cell("td", value, at))))));
  }

  function figure(name, value) {
    return make("div", {}, make("dt", {}, name), make("dd", {}, value));
  }

  /** One collection: made once, so that what is being typed stays, and told anew every few seconds. */
  class Card {
    constructor(name) {
      this.path = `/v1/collections/${name}`;
      this.title = make("h2", { id: `title-${short(name)}` });
      this.state = make("span", { class: "state" });
      this.figures = make("dl", { class: "figures" });
      this.flags = make("div", {});
      this.chart = make("div", {});
      this.days = make("div", {});
      this.refused = make("div", {});
      this.expected = make("div", {});
      this.plans = make("div", {});
      this.toggle = make("button", { click: acting(() => this.close()) });
      this.until = make("input", { type: "date", required: true });
      this.file = make("input", { type: "file", accept: ".json,application/json", required: true });
      this.element = make(
        "section",
        { class: "card", "aria-labelledby": `title-${short(name)}` },
        make("div", { class: "head" }, this.title, this.state, make("span", { class: "soft" }, short(name))),
        this.flags,
        this.figures,
        make("div", { class: "halves" },
          make("div", {}, make("h3", {}, "Reports per day"), this.chart,
            make("details", {}, make("summary", {}, "As a table"), this.days),
            make("h3", {}, "Refused"), this.refused),
          make("div", {}, make("h3", {}, "Expected error"), this.expected,
            make("button", { click: acting(() => this.forecast()) }, "Work out now"),
            make("details", {}, make("summary", {}, "Plans"), this.plans))),
        make("h3", {}, "Change"),
        make("div", { class: "halves" },
          make("form", { submit: acting(() => this.extend()) },
            make("label", {}, "new last day", this.until), make("button", {}, "Extend")),
          make("form", { submit: acting(() => this.add()) },
            make("label", {}, "a refreshed plan's file, or the next round's", this.file), make("button", {}, "Add plan"))),
        this.toggle,
      );
    }

    tell(line, day) {
      const text = JSON.stringify([line, day]);
      if (text === this.told) return;
      this.told = text;
      this.line = line;
      this.title.textContent = title(line);
      this.state.textContent = line.state === "closed" ? `closed since ${line.since || line.purged}` : line.state;
      this.state.className = `state ${line.state}`;
      const warned = line.warnings.map((words) => make("p", { class: "bad" }, `Warning: ${words}.`));
      const flagged = line.flags
        .map((words) => words.replace(/[0-9a-f]{64}/g, short))
        .map((words) => make("p", { class: "bad" }, `Flag: what was counted does not fit the plan (${words}).`));
      this.flags.replaceChildren(...flagged, ...warned);
      const least = number.format(line.minimum_reports);
      const early = line.total < line.minimum_reports ? `, possible from ${least} reports on` : "";
      const fit = line.fit ? `${line.fit.day}, to about ${number.format(line.fit.reports)} reports` : `none yet${early}`;
      this.figures.replaceChildren(
        figure("reports, about", `${number.format(line.total)} of ${number.format(line.planned)} planned`),
        figure("today, about", number.format(line.today)),
        figure("taken until", line.state === "closed" ? "no more are taken" : line.last_day || "no last day"),
        figure("last fit", fit),
        figure("epsilon", line.epsilon),
        figure("asked", `${line.attributes.length} attributes, by ${line.mechanism}`),
      );
      this.chart.replaceChildren(...chart(line, day));
      const days = [...everyDay(line, day), ["today, about", line.today]].reverse();
      this.days.replaceChildren(table(["day", "reports"], days.map(([name, count]) => [name, number.format(count)])));
      this.refused.replaceChildren(line.refused.length
        ? table(["reason", "reports, about"], line.refused.map((one) => [one.reason, number.format(one.reports)]))
        : make("p", { class: "soft" }, "None."));
      this.expected.replaceChildren(...this.errors(line.forecast));
      const plans = line.plans.map((one) =>
        [`${short(one.fingerprint)}, version ${one.version}`, one.expires || "none", number.format(one.users)]);
      this.plans.replaceChildren(table(["plan", "last day", "people"], plans));
      this.toggle.textContent = line.state === "closed" ? "Reopen" : "Close";
      this.toggle.className = line.state === "closed" ? "" : "danger";
      this.toggle.hidden = line.purged !== null;
      this.until.min = day;
    }

    errors(found) {
      const note = (words) => make("p", { class: "soft" }, words);
      if (!found) return [note("Not worked out yet. It simulates the collection, which takes a while.")];
      const off = (one) => `${points(one.error)} (${points(one.within)})`;
      const [now, end] = [found.now, found.end].map((one) => number.format(one.reports));
      const rows = found.now.errors.map((one, at) => [String(one.attributes), off(one), off(found.end.errors[at])]);
      return [
        table(["attributes asked about", `now, ${now} reports`, `end, ${end}`], rows),
        note("In percentage points: how far typical answers are off on average, and in brackets what nine in ten stay "
          + `within. The end: ${found.basis}.`),
      ];
    }

    async change(what, body, words) {
      await ask("POST", `${this.path}/${what}`, body);
      await look();
      say(`${title(this.line)}: ${words}.`);
    }

    async close() {
      if (this.line.state === "closed") return this.change("reopen", undefined, "takes reports again");
      const words = `${title(this.line)} takes no more reports. Counts and answers stay, and it can be opened again.`;
      if (await sure("Close this collection?", words, "Close it")) await this.change("close", undefined, "closed");
    }

    async extend() {
      const expires = this.until.value;
      await this.change("extend", JSON.stringify({ expires }), `taken until ${expires}, and its days of grace`);
    }

    async add() {
      await this.change("plans", await this.file.files[0].text(), "the plan is served");
      this.file.value = "";
    }

    async forecast() {
      say("Simulating the collection…");
      await this.change("forecast", undefined, "worked out");
    }
  }

  /** All tokens, and the form that makes one. */
  class Tokens {
    constructor() {
      this.list = make("ul", { class: "tokens" });
      this.secret = make("div", { role: "status" });
      this.name = make("input", { required: true, maxlength: 100, autocomplete: "off" });
      this.role = make("select", { "aria-label": "role", change: () => this.choose() },
        make("option", {}, "analyst"), make("option", {}, "reporter"));
      this.expires = make("input", { type: "date" });
      this.scope = make("select", { "aria-label": "for" }, make("option", { value: "" }, "all collections"));
      this.reports = make("input", { type: "number", min: 1 });
      this.number = make("label", { hidden: true }, "reports it may post", this.reports);
      this.form = make("form", { submit: acting(() => this.create()) },
        make("label", {}, "name", this.name), make("label", {}, "role", this.role),
        make("label", {}, "last day", this.expires), make("label", {}, "for", this.scope), this.number,
        make("button", { class: "primary" }, "Create token"));
      this.element = make(
        "section",
        { class: "card", "aria-labelledby": "title-tokens" },
        make("h2", { id: "title-tokens" }, "Tokens"),
        this.list,
        this.form,
        this.secret,
        make("button", { click: () => signOut("") }, "Sign out"),
      );
    }

    choose() {
      this.number.hidden = this.role.value !== "reporter";
      if (this.number.hidden) this.reports.value = "";
    }

    offer(lines) {
      const known = [...this.scope.options].slice(1).map((one) => one.value).join();
      if (known === lines.map((line) => line.collection).join()) return;
      const all = lines.map((line) =>
        make("option", { value: line.collection }, `${title(line)} (${short(line.collection)})`));
      this.scope.replaceChildren(this.scope.options[0], ...all);
    }

    tell(tokens) {
      const today = new Date().toISOString().slice(0, 10);
      const lines = tokens.map((one) => {
        const ended = one.revoked !== null || (one.expires !== null && one.expires < today);
        const plural = one.reports === 1 ? "report" : "reports";
        const left = one.reports === null ? "" : `${number.format(one.reports)} ${plural} left`;
        const facts = [
          one.role,
          one.expires && `until ${one.expires}`,
          one.collection && `for ${short(one.collection)}`,
          left,
          one.revoked && `revoked ${one.revoked}`,
        ];
        const end = { class: "danger", "aria-label": `Revoke ${one.name}`, click: acting(() => this.revoke(one)) };
        return make("li", {},
          make("span", { class: "who" }, make("span", { class: ended ? "ended" : null }, one.name), make("br"),
            make("span", { class: "soft" }, facts.filter(Boolean).join(", "))),
          ...(one.revoked === null ? [make("button", end, "Revoke")] : []));
      });
      this.list.replaceChildren(...lines);
    }

    async create() {
      const body = { name: this.name.value, role: this.role.value };
      if (this.expires.value) body.expires = this.expires.value;
      if (this.scope.value) body.collection = this.scope.value;
      if (this.reports.value) body.reports = Number(this.reports.value);
      const made = await ask("POST", "/v1/tokens", JSON.stringify(body));
      const copy = make("button", { click: acting(async () => {
        await navigator.clipboard.writeText(made.token).catch(() => {
          throw new Error("Copy it by hand: this browser does not allow it.");
        });
        say("The token is on the clipboard.");
      }) }, "Copy");
      const hide = make("button", { click: () => this.secret.replaceChildren() }, "Hide");
      this.secret.replaceChildren(make("div", { class: "secret" }, `The token of ${made.name}. It is shown this once:`,
        make("code", {}, made.token), make("div", { class: "choices" }, copy, hide)));
      this.form.reset();
      this.choose();
      this.tell((await ask("GET", "/v1/tokens")).tokens);
    }

    async revoke(one) {
      if (!(await sure("Revoke this token?", `${one.name} ends with the next request, for good.`, "Revoke it"))) return;
      this.tell((await ask("POST", "/v1/tokens/revoke", JSON.stringify({ name: one.name }))).tokens);
      say(`${one.name} is revoked.`);
    }
  }

  /** Look at everything, after whoever looks already: a slow answer must not come upon a newer one. */
  async function look() {
    while (looking) await looking.catch(() => {});
    looking = lookOnce();
    try {
      await looking;
    } finally {
      looking = null;
    }
  }

  async function lookOnce() {
    const found = await ask("GET", "/v1/collections");
    if (shown === null) {
      const tokens = await ask("GET", "/v1/tokens");
      shown = new Tokens();
      shown.tell(tokens.tokens);
      cards.clear();
      main.replaceChildren(make("div", { id: "collections" }), shown.element);
      say("");
    }
    const { kind, used, free } = found.storage;
    const room = `${kind}: ${bytes(used)}${free === null ? "" : `, ${bytes(free)} free`}`;
    about.textContent = `${found.day}; ${room}; version ${found.version}`;
    const place = document.getElementById("collections");
    const open = (line) => (line.state === "open" ? 0 : 1);
    for (const line of found.collections.sort((one, other) => open(one) - open(other))) {
      if (!cards.has(line.collection)) {
        cards.set(line.collection, new Card(line.collection));
        place.append(cards.get(line.collection).element);
      }
      cards.get(line.collection).tell(line, found.day);
    }
    shown.offer(found.collections);
  }

  async function again() {
    if (!token || looking || document.hidden) return;
    try {
      await look();
      if (live.textContent === "The collector does not answer.") say("");
    } catch (error) {
      failed(error);
    }
  }

  if (token) again();
  else signOut("");
  setInterval(again, EVERY);
})();
