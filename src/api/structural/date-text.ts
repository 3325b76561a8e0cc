/** Whether a text is a moment that exists, as RFC 3339 and its relatives write it. Pure. */

const MOMENT = /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:[.,]\d+)?(?:[Zz]|[+-]\d{2}:?\d{2})?$/;

export function parseTimeText(text: string): boolean {
  const parts = MOMENT.exec(text);
  if (parts === null) return false;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.slice(1).map(Number);
  if (month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 || second > 59) return false;
  return day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}
