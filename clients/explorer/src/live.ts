/** The explorer on a collector: it asks for a token once, counts reports as they come, and offers newer fits. */

import { button, element } from "./dom";
import type { Exploration } from "./exploration";
import type { WaveExplorations } from "./timeline";
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
  readonly fit: Fit | null;
  /** Of a plan with waves, how many reports each has, the first first. */
  readonly waves?: readonly number[];
  /** Of a plan with waves, the fits of those that were fitted. */
  readonly fits?: readonly Fit[];
}

interface Fit {
  readonly id: string;
  readonly reports: number;
  readonly wave?: number;
}

interface Explored {
  readonly fit: string;
  readonly fits?: readonly Fit[];
  readonly exploration: Exploration | WaveExplorations;
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
  private due: readonly (number | null)[] = [];
  private timer = 0;

  constructor(private readonly show: (exploration: Explored["exploration"]) => Promise<void>) {
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
    this.newer.hidden = !status.fit || fitted(status.fit.id, status.fits) === this.shown;
    this.due = due(status);
    this.fit.hidden = !this.due.length;
    const words = [`${count(status.reports)} reports counted`];
    const least = `${count(status.minimum_reports)}${status.waves ? " in a wave" : ""}`;
    const most = Math.max(...(status.waves ?? [status.reports]));
    if (most < status.minimum_reports) words.push(`nothing is fitted or answered below ${least}`);
    else if (!status.fit) words.push("no model was fitted since the collector started");
    else words.push(fitWords(status.fit, status.fits, !this.newer.hidden));
    this.say(`${words.join("; ")}.`);
    this.lookLater();
  }

  private lookLater(): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.attempt(() => this.look()), BETWEEN);
  }

  private async load(): Promise<void> {
    const { fit, fits, exploration } = (await this.ask(`${this.plan}/exploration`)) as Explored;
    await this.show(exploration);
    this.shown = fitted(fit, fits);
    this.newer.hidden = true;
  }

  private async refit(): Promise<void> {
    clearTimeout(this.timer); // a look at the counts would say something else while the fit goes on
    this.fit.disabled = true;
    try {
      for (const wave of this.due) {
        this.say(`Fitting${wave === null ? "" : ` wave ${wave}`}; this takes some seconds.`);
        await this.ask(`${this.plan}/fit`, { method: "POST", body: wave === null ? null : JSON.stringify({ wave }) });
      }
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
    const kind: HeadersInit = options.body ? { "content-type": "application/json" } : {};
    const answer = await fetch(address, {
      ...options,
      cache: "no-store",
      headers: { authorization: `Bearer ${this.token}`, ...kind },
    }).catch(() => {
      throw new Error("The collector does not answer.");
    });
    if (answer.ok) return answer.json();
    const { detail } = (await answer.json().catch(() => ({}))) as { detail?: unknown };
    throw new Refused(answer.status, typeof detail === "string" ? detail : `The collector said ${answer.status}.`);
  }
}

/** Return what tells what is shown from what there is: the fit, or those of all waves. */
function fitted(fit: string, fits: readonly Fit[] | undefined): string {
  return fits ? fits.map(({ id }) => id).join(" ") : fit;
}

/** Return the waves that have enough reports and no fit to all of them; null stands for a collection without waves. */
function due({ reports, minimum_reports: least, fit, waves, fits = [] }: Status): (number | null)[] {
  if (!waves) return reports < least || fit?.reports === reports ? [] : [null];
  const known = new Map(fits.map((one) => [one.wave, one.reports]));
  return waves.flatMap((total, place) => (total < least || known.get(place + 1) === total ? [] : [place + 1]));
}

function fitWords(fit: Fit, fits: readonly Fit[] | undefined, newer: boolean): string {
  const of = `${count(fit.reports)} of them`;
  if (!fits) return newer ? `a newer fit to ${of} is there` : `shown is the fit to ${of}`;
  const waves = `${fits.length === 1 ? "wave" : "waves"} ${fits.map(({ wave }) => wave).join(", ")}`;
  return newer ? `newer fits are there, of ${waves}` : `shown are the fits of ${waves}`;
}
