/** The explorer on a collector: it asks for a token once, counts reports as they come, and offers newer fits. */

import { button, element } from "./dom";
import type { Exploration } from "./exploration";
import { count } from "./words";

const KEY = "sottovoce-token";
const BETWEEN = 5_000; // milliseconds between two looks at the counts

interface PlanLine {
  readonly fingerprint: string;
  readonly purpose: string;
}

interface Status {
  readonly reports: number;
  readonly minimum_reports: number;
  /** The fit that answers now; null if there was none since the collector started. */
  readonly fit: { readonly id: string; readonly reports: number } | null;
}

/** A refusal by the collector, in its own words. */
class Refused extends Error {
  constructor(
    readonly status: number,
    detail: string,
  ) {
    super(detail);
  }
}

export class Live {
  readonly element = element("section", { class: "live", "aria-label": "Collection" });
  private readonly said = element("p", { role: "status" });
  private readonly newer = button("Show the newer fit", () => this.attempt(() => this.load()), {
    class: "primary",
    hidden: true,
  });
  private readonly fit = button("Fit now", () => this.attempt(() => this.refit()), { hidden: true });
  private token = sessionStorage.getItem(KEY) ?? "";
  private plan = "";
  private shown = "";
  private timer = 0;

  constructor(private readonly show: (exploration: Exploration) => Promise<void>) {
    this.attempt(() => this.begin());
  }

  private async begin(): Promise<void> {
    if (!this.token) return this.askToken();
    const { plans } = (await this.ask("/v1/plans")) as { plans: PlanLine[] };
    const wanted = new URLSearchParams(location.search).get("plan");
    const chosen = plans.find(({ fingerprint }) => fingerprint === wanted) ?? plans[0];
    const links = plans
      .filter((plan) => plan !== chosen)
      .map((plan) =>
        element("a", { href: `?plan=${plan.fingerprint}` }, plan.purpose || plan.fingerprint.slice(0, 12)),
      );
    this.plan = `/v1/plans/${chosen.fingerprint}`;
    this.element.replaceChildren(this.said, this.newer, this.fit, ...links);
    await this.look();
  }

  /** Look at the counts, say what they are, and look again later. */
  private async look(): Promise<void> {
    clearTimeout(this.timer);
    const status = (await this.ask(`${this.plan}/status`)) as Status;
    if (status.fit && !this.shown) await this.load();
    if (this.fit.disabled || !this.token) return; // a click has since begun a fit, or led to the token's form
    const few = status.reports < status.minimum_reports;
    this.newer.hidden = !status.fit || status.fit.id === this.shown;
    this.fit.hidden = few || status.fit?.reports === status.reports;
    const words = [`${count(status.reports)} reports counted`];
    if (few) words.push(`nothing is fitted or answered below ${count(status.minimum_reports)}`);
    else if (!status.fit) words.push("no model was fitted since the collector started");
    else if (!this.newer.hidden) words.push(`a newer fit to ${count(status.fit.reports)} of them is there`);
    else words.push(`shown is the fit to ${count(status.fit.reports)} of them`);
    this.say(`${words.join("; ")}.`);
    this.lookLater();
  }

  private lookLater(): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.attempt(() => this.look()), BETWEEN);
  }

  private async load(): Promise<void> {
    const { fit, exploration } = (await this.ask(`${this.plan}/exploration`)) as {
      fit: string;
      exploration: Exploration;
    };
    await this.show(exploration);
    this.shown = fit;
    this.newer.hidden = true;
  }

  private async refit(): Promise<void> {
    clearTimeout(this.timer); // a look at the counts would say something else while the fit goes on
    this.fit.disabled = true;
    this.say("Fitting; this takes some seconds.");
    try {
      await this.ask(`${this.plan}/fit`, { method: "POST" });
      await this.load();
    } finally {
      this.fit.disabled = false;
    }
    await this.look();
  }

  private askToken(): void {
    const field = element("input", {
      type: "password",
      autocomplete: "off",
      required: true,
      "aria-label": "analyst's token",
      placeholder: "sv_…",
    });
    const form = element(
      "form",
      {},
      element("label", {}, "An analyst's token: ", field),
      element("button", { class: "primary" }, "Open"),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.token = field.value.trim();
      sessionStorage.setItem(KEY, this.token);
      this.attempt(() => this.begin());
    });
    const where = element(
      "p",
      { class: "hint" },
      "It stays in this tab, and is sent to this collector alone. ",
      element("code", {}, "sottovoce token create NAME"),
      " makes one.",
    );
    this.element.replaceChildren(form, where, this.said);
    field.focus();
  }

  /** Do something, and say what went wrong with it; a token that is not taken is asked for again. */
  private async attempt(what: () => Promise<void>): Promise<void> {
    try {
      await what();
    } catch (error) {
      clearTimeout(this.timer); // the next look, without a token, would replace the form that is being filled in
      if (error instanceof Refused && (error.status === 401 || error.status === 403)) {
        sessionStorage.removeItem(KEY);
        this.token = "";
        this.askToken();
      } else if (this.plan) {
        this.lookLater();
      }
      this.say((error as Error).message);
    }
  }

  private say(words: string): void {
    if (this.said.textContent !== words) this.said.textContent = words;
  }

  private async ask(address: string, options: RequestInit = {}): Promise<unknown> {
    const answer = await fetch(address, {
      ...options,
      cache: "no-store",
      headers: { authorization: `Bearer ${this.token}` },
    }).catch(() => {
      throw new Error("The collector does not answer.");
    });
    if (answer.ok) return answer.json();
    const { detail } = (await answer.json().catch(() => ({}))) as { detail?: unknown };
    throw new Refused(answer.status, typeof detail === "string" ? detail : `The collector said ${answer.status}.`);
  }
}
