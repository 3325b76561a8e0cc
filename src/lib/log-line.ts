/** Formats a JSON log record as a readable line: `2026-11-20T12:00:00Z INFO message key=value key="two words"`. */
import { visibleText } from './visible-text.ts';

const PLAIN = /^[^\s"=]+$/;

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  return PLAIN.test(text) ? text : JSON.stringify(text);
}

/** A message of several lines becomes one line of the log. */
function oneLine(message: string): string {
  return message.replace(/[\n\t\r]/g, (char) => JSON.stringify(char).slice(1, -1));
}

/** @param json a record with `time`, `level` and `message`; any other value is returned unchanged */
export function formatLine(json: string): string {
  const record: unknown = JSON.parse(json);
  if (!isRecord(record)) return json;
  const { time, level, message, ...fields } = record;
  const seconds = String(time).replace(/\.\d+Z$/, 'Z');
  const head = `${seconds} ${String(level).toUpperCase()} ${oneLine(typeof message === 'string' ? message : '')}`;
  const tail = Object.entries(fields).map(([key, value]) => ` ${key}=${shown(value)}`);
  // No field may contain control characters that would drive the terminal.
  return `${visibleText(`${head}${tail.join('')}`)}\n`;
}
