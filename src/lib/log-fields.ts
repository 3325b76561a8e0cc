/** Makes log fields small and plain: bounded text, errors with their causes, no cycles. */
import type { LogFields } from './logger.ts';

const MAX_TEXT = 2048;
const MAX_DEPTH = 4;
const MAX_ITEMS = 32;
const MAX_CAUSES = 5;

function boundText(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}… (${text.length} characters)`;
}

/** "message: cause: cause", with the system's code unless the message contains it. */
export function describeError(error: unknown): string {
  const parts: string[] = [];
  let current: unknown = error;
  for (let depth = 0; current !== undefined && depth < MAX_CAUSES; depth++) {
    if (!(current instanceof Error)) {
      parts.push(typeof current === 'string' ? current : (JSON.stringify(bound(current, 1)) ?? 'nothing'));
      break;
    }
    const code = 'code' in current ? String(current.code) : '';
    const message = current.message === '' ? current.name : current.message;
    parts.push(code === '' || message.includes(code) ? message : `${message} (${code})`);
    current = current.cause;
  }
  // A cause whose text is part of its wrapper's adds nothing.
  return boundText(parts.filter((part, index) => index === 0 || !parts[index - 1]?.includes(part)).join(': '));
}

function bound(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return boundText(value);
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return value;
  if (value === undefined) return undefined;
  if (value instanceof Error) return describeError(value);
  if (value instanceof Uint8Array) return `${value.length} bytes`;
  if (typeof value === 'bigint' || typeof value === 'symbol') return value.toString();
  if (typeof value === 'function') return `function ${value.name}`;
  if (typeof value !== 'object') return undefined;
  if (depth >= MAX_DEPTH) return '…';
  if (Array.isArray(value)) {
    const kept = value.slice(0, MAX_ITEMS).map((item) => bound(item, depth + 1));
    return value.length > MAX_ITEMS ? [...kept, `… (${value.length} items)`] : kept;
  }
  const entries = Object.entries(value);
  const kept = entries.slice(0, MAX_ITEMS).map(([key, item]) => [key, bound(item, depth + 1)] as const);
  return Object.fromEntries(entries.length > MAX_ITEMS ? [...kept, ['…', `${entries.length} fields`]] : kept);
}

/** A copy that is safe to write as one line. */
export function boundFields(fields: LogFields): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [
      key,
      key === 'error' && value !== undefined ? describeError(value) : bound(value, 0),
    ]),
  );
}
