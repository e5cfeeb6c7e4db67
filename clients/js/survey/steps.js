/** The steps that a person takes: what they are told, the form, the check before anything is sent, and what was sent. */

import { button, data, element } from "./dom.js";
import { makeField } from "./fields.js";
import { answerName, itemsOf, makeUp, questionOf } from "./items.js";
import { tell } from "./told.js";

/** @typedef {import("./page.js").Page} Page */

const [FORM, COUNT] = [1, 3];

/** @param {Page} page @param {string} key @param {number} [number] which step of the way it is */
function heading(page, key, number) {
  const { language } = page;
  return element(
    "div",
    {},
    number !== undefined && element("p", { class: "eyebrow" }, language.say("step", { number: language.number(number), count: language.number(COUNT) })),
    element("h2", { tabindex: "-1" }, language.say(key)),
  );
}

/** @param {Page} page */
export function welcome(page) {
  const { language } = page;
  return element(
    "div",
    {},
    element("p", { class: "lead" }, language.say("lead")),
    element("div", { class: "actions" }, button(language.say("start"), () => page.go("questions"))),
    about(page),
    example(page),
    element("div", { class: "actions" }, button(language.say("start"), () => page.go("questions"), { class: "quiet" })),
  );
}

/** Return who asks, as the plan and the page state it. @param {Page} page */
function about(page) {
  const { language, config, plan } = page;
  const stated = (/** @type {string | null} */ text) => (text ? data(text) : language.say("not_stated"));
  const likely = 1 / (1 + Math.exp(-Number(plan.epsilon)));
  const safe = page.pinned ? "pinned" : "not_pinned";
  /** @type {[string, import("./dom.js").Part[]][]} */
  const rows = [
    ["asked_by", config.organisation ? [data(config.organisation)] : []],
    ["purpose_label", [stated(language.say("purpose") || plan.purpose)]],
    ["contact", [contact(config.contact, language.say("not_stated"))]],
    ["ends", [plan.expires ? language.date(plan.expires) : language.say("not_stated")]],
    ["notice", config.notice ? [link(config.notice, language.say("read_notice"))] : []],
    ["privacy", [language.say("privacy_words", { percent: language.percent(Math.ceil(likely * 100) / 100), epsilon: plan.epsilon })]],
    ["plan", [link(page.address, plan.fingerprint, "code"), element("span", { class: "hint block", id: "pinned" }, language.say(safe))]],
  ];
  const shown = rows.filter(([, parts]) => parts.length);
  return element(
    "section",
    { "aria-labelledby": "about-title" },
    element("h2", { id: "about-title" }, language.say("about")),
    element("dl", {}, ...shown.map(([key, parts]) => element("div", {}, element("dt", {}, language.say(key)), element("dd", { class: `about-${key}` }, ...parts)))),
  );
}

/** @param {string} text @param {string} otherwise */
function contact(text, otherwise) {
  if (!text) return otherwise;
  return /^[^\s@<>"'?&]+@[^\s@<>"'?&]+$/.test(text) ? element("a", { href: `mailto:${text}` }, data(text)) : data(text);
}

/** @param {string} address @param {string} text @param {string} [kind] */
const link = (address, text, kind) => element("a", { href: address, rel: "noreferrer noopener", target: "_blank", class: kind, dir: kind && "ltr" }, text);

/** Return an example of somebody made up. @param {Page} page */
function example(page) {
  const { language, plan } = page;
  page.example ??= drawExample(page);
  const { record } = page.example;
  const lines = itemsOf(plan).map((item) => element("div", {}, element("dt", {}, data(questionOf(item, language))), element("dd", {}, data(answerName(item, record ?? {}, language)))));
  return element(
    "section",
    { "aria-labelledby": "example-title", id: "example" },
    element("h2", { id: "example-title", tabindex: "-1" }, language.say("example")),
    element("p", { class: "hint" }, language.say("example_words")),
    element("dl", { class: "person" }, ...lines),
    tell(plan, page.example, language, false),
    button(language.say("another_example"), () => {
      page.example = drawExample(page);
      const made = example(page);
      document.getElementById("example")?.replaceWith(made);
      made.querySelector("h2")?.focus();
    }, { class: "quiet" }),
  );
}

/** @param {Page} page */
function drawExample({ plan }) {
  const record = makeUp(plan);
  return { record, report: plan.draw(record, plan.collection) };
}

/** Return the form. @param {Page} page */
export function questions(page) {
  const { language, plan } = page;
  const fields = itemsOf(plan).map((item, number) => makeField(item, number, page.answers, language));
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    const read = fields.map((field) => field.read());
    const wrong = read.filter((values) => values === null).length;
    if (wrong) {
      page.notify(language.say("check_answers", { count: language.number(wrong) }), "bad");
      fields[read.indexOf(null)].focus();
      return;
    }
    page.record = Object.assign({}, ...read);
    page.go("review");
  };
  page.focusField = (number) => fields[number].focus();
  return element(
    "form",
    { novalidate: true, submit, input: () => { page.record = null; }, id: "questions" }, // changed: to be checked again
    heading(page, "questions", FORM),
    element("p", { class: "hint" }, language.say("questions_words")),
    ...fields.map((field) => field.element),
    element("div", { class: "actions" }, element("button", { type: "submit" }, language.say("to_review")), button(language.say("back"), () => page.go("welcome"), { class: "quiet" })),
  );
}

/** Return what was answered, to be checked, and what is agreed to. @param {Page} page */
export function review(page) {
  const { language, plan, config } = page;
  const record = page.record ?? {};
  const lines = itemsOf(plan).map((item, number) => {
    const question = questionOf(item, language);
    const change = button(language.say("change"), () => page.go("questions", number), { class: "small", "aria-label": language.say("change_what", { question }) });
    return element("div", {}, element("dt", {}, data(question)), element("dd", {}, data(answerName(item, record, language)), change));
  });
  const error = element("p", { class: "error", id: "consent-error", hidden: true }, language.say("consent_missing"));
  const box = element("input", { type: "checkbox", id: "agree", "aria-describedby": "consent-error", "aria-required": "true" });
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    error.hidden = box.checked;
    box.setAttribute("aria-invalid", String(!box.checked));
    if (box.checked) page.send(record);
    else box.focus();
  };
  return element(
    "form",
    { novalidate: true, submit, id: "review" },
    heading(page, "review", FORM + 1),
    element("section", {}, element("p", { class: "hint" }, language.say("review_words")), element("dl", { class: "answers" }, ...lines)),
    element(
      "section",
      { "aria-labelledby": "consent-title" },
      element("h3", { id: "consent-title" }, language.say("consent")),
      element("p", {}, language.say("consent_words")),
      config.notice ? element("p", {}, link(config.notice, language.say("read_notice"))) : null,
      element("label", { class: "choice" }, box, element("span", {}, language.say("consent_box"))),
      error,
      element("p", { class: "hint", id: "cost" }, language.say("cost", page.figures())),
    ),
    element("div", { class: "actions" }, element("button", { type: "submit", id: "send" }, language.say("send")), button(language.say("back"), () => page.go("questions"), { class: "quiet" })),
  );
}

/** Return what was sent, if it is known: it is shown once. @param {Page} page */
export function done(page) {
  const { language, plan, drawn } = page;
  if (!drawn) return element("div", {}, heading(page, "done"), element("p", {}, language.say("answered")), others(page));
  return element(
    "div",
    {},
    element(
      "section",
      { id: "sent" },
      element("p", { class: "eyebrow" }, language.say("step", { number: language.number(COUNT), count: language.number(COUNT) })),
      element("h2", { tabindex: "-1" }, language.say("sent_title")),
      element("p", { class: "hint" }, language.say(drawn.record ? "sent_words" : "sent_before")),
      tell(plan, drawn, language, true),
      button(language.say("print"), () => print(), { class: "quiet" }),
    ),
    others(page),
  );
}

/** Return what is said while a report waits. @param {Page} page */
export function waiting(page) {
  const { language } = page;
  return element(
    "section",
    {},
    heading(page, "waiting"),
    element("p", {}, language.say("waiting_words")),
    page.reason ? element("p", { class: "hint" }, language.say("refused_words", { reason: page.reason })) : null,
    element("div", { class: "actions" }, button(language.say("try_again"), () => page.send(), { id: "retry" })),
    others(page),
  );
}

/** Return why somebody is not asked. @param {Page} page */
export function closed(page) {
  const { language, why } = page;
  const values = { ...page.figures(), ...why.values };
  return element("section", {}, heading(page, why.title ?? "not_asked"), element("p", { id: "why" }, language.say(why.key, values)), why.title ? null : others(page));
}

/** Return the people of this device, to choose from by their own act. @param {Page} page */
export function people(page) {
  const { language } = page;
  const known = page.clients.map((client, place) => {
    const state = page.states[place];
    const words = `${language.say("person", { number: language.number(place + 1) })}: ${language.say(state)}`;
    return element("li", {}, button(words, () => page.enter(client), { class: "quiet" }));
  });
  return element("section", {}, heading(page, "people"), element("p", { class: "hint" }, language.say("people_words")), element("ul", { class: "people" }, ...known), others(page));
}

/** @param {Page} page */
function others(page) {
  return element("div", { class: "actions others" }, button(page.language.say("somebody_else"), () => page.openProfile(), { class: "quiet" }));
}
