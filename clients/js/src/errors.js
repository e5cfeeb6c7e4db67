/** Errors: one tree; a message says what was given, what is allowed and what to do. */

/** Base of every error thrown on purpose. */
export class SottovoceError extends Error {
  constructor(/** @type {string} */ message) {
    super(message);
    this.name = new.target.name;
  }
}

/** A plan that cannot be read, trusted or answered in a browser. */
export class PlanError extends SottovoceError {}

/** A record that does not fit the plan's schema. */
export class RecordError extends SottovoceError {}

/** A collection that would cost more privacy than this device is willing to spend: nothing is drawn. */
export class BudgetError extends SottovoceError {}

/** The device cannot remember that it answered, so nothing is drawn. */
export class StorageError extends SottovoceError {}

/** The report was drawn and is kept, but the collector has not counted it. */
export class SendError extends SottovoceError {
  /**
   * @param {string} message
   * @param {boolean} lasting whether sending the same report again cannot help
   * @param {number | null} retryAfter in how many seconds the collector asked to be tried again, if it did
   */
  constructor(message, lasting = false, retryAfter = null) {
    super(message);
    this.lasting = lasting;
    this.retryAfter = retryAfter;
  }
}
