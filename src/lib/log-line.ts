/** One readable line of a JSON log record: `2026-11-20T12:00:00Z INFO message key=value key="two words"`. */
const PLAIN = /^[^\s"=]+$/;

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  return PLAIN.test(text) ? text : JSON.stringify(text);
}

/** Control characters in a message must not break the line or drive the terminal. */
function oneLine(message: string): string {
  // oxlint-disable-next-line no-control-regex
  return message.replace(/[\u0000-\u001f\u007f]/g, (char) => JSON.stringify(char).slice(1, -1));
}

/** `json` is one record with `time`, `level` and `message`; anything else is given back as it is. */
export function formatLine(json: string): string {
  const record: unknown = JSON.parse(json);
  if (!isRecord(record)) return json;
  const { time, level, message, ...fields } = record;
  const seconds = String(time).replace(/\.\d+Z$/, 'Z');
  const head = `${seconds} ${String(level).toUpperCase()} ${oneLine(typeof message === 'string' ? message : '')}`;
  const tail = Object.entries(fields).map(([key, value]) => ` ${key}=${shown(value)}`);
  return `${head}${tail.join('')}\n`;
}
