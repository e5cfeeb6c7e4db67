/** Dates as they come: the weekday, month, hour or year of one, or the range of days it falls into; as Python reads them. */

import { isList } from "./checks.js";

/** @type {Record<string, [number, number]>} */
const PARTS = { weekday: [1, 7], month: [1, 12], hour: [0, 23], year: [1, 9999] };
const ISO = /^(\d{4}-\d\d-\d\d)(?:[T ]([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?$/;
const TIME = /^([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?$/;

/** Whether a text is a day of the calendar, such as 2030-12-31. @param {unknown} value */
export function isDay(value) {
  if (typeof value !== "string" || !/^\d{4}-\d\d-\d\d$/.test(value) || value < "0001") return false;
  const date = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value);
}

/** Whether integers from low to high can be this part of a date. @param {unknown} part @param {number} low @param {number} high */
export function fitsDate(part, low, high) {
  if (typeof part === "string") {
    if (!Object.hasOwn(PARTS, part)) return false;
    const [least, most] = PARTS[part];
    return (low === least && high === most) || (part === "year" && least <= low && high <= most);
  }
  if (!isList(part) || !part.every(isDay)) return false;
  return part.every((day, i) => !i || part[i - 1] < day) && low === 1 && high === part.length - 1;
}

/** Return a part of a date as its number; null for what is no date or lacks that part. @param {string | string[]} part @param {unknown} value */
export function dateNumber(part, value) {
  if (typeof value !== "string") return null;
  const time = TIME.exec(value);
  if (time) return part === "hour" ? Number(time[1]) : null;
  const [, day, hour] = ISO.exec(value) ?? [];
  if (!isDay(day)) return null;
  if (part === "hour") return hour === undefined ? null : Number(hour);
  if (part === "weekday") return new Date(`${day}T00:00:00Z`).getUTCDay() || 7;
  if (part === "month") return Number(day.slice(5, 7));
  if (part === "year") return Number(day.slice(0, 4));
  const ranges = part.length - 1;
  return day === part[ranges] ? ranges : /** @type {string[]} */ (part).filter((edge) => edge <= day).length;
}
