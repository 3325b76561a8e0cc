/** Logs to stderr through pino, as JSON or as readable lines. Writing never waits for the reader of stderr. */
import pino from 'pino';
import { formatLine } from './log-line.ts';
import { boundFields } from './log-fields.ts';
import type { LogFields, Logger } from './logger.ts';
import { visibleText } from './visible-text.ts';

/** Bytes of lines that wait for a slow reader of stderr; further lines are dropped and counted. */
const MAX_BUFFERED_BYTES = 1024 * 1024;

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export interface LoggerOptions {
  readonly format: 'text' | 'json';
  readonly level?: LogLevel;
  /** Receives whole lines; default: stderr. */
  readonly write?: (line: string) => void;
}

export interface SystemLogger extends Logger {
  /** Writes buffered lines synchronously, at the end of the process. */
  flush(): void;
}

interface Sink {
  readonly write: (line: string) => void;
  readonly flush: () => void;
}

function standardError(): Sink {
  const stream = pino.destination({ fd: 2, sync: false, maxLength: MAX_BUFFERED_BYTES });
  let dropped = 0;
  stream.on('drop', () => dropped++);
  // A closed stderr must not end the agent.
  stream.on('error', () => {});
  stream.on('drain', () => {
    if (dropped === 0) return;
    const count = dropped;
    dropped = 0;
    stream.write(`${count} log lines dropped: stderr is not read\n`);
  });
  const flush = (): void => {
    try {
      stream.flushSync();
    } catch {
      // The stream is not open yet, or its reader is gone; nothing can be reported.
    }
  };
  process.on('exit', flush);
  return { write: (line) => void stream.write(line), flush };
}

function wrap(logger: pino.Logger, flush: () => void): SystemLogger {
  const log = (level: LogLevel, message: string, fields?: LogFields): void => {
    if (!logger.isLevelEnabled(level)) return;
    logger[level](fields === undefined ? {} : boundFields(fields), message);
  };
  return {
    debug: (message, fields) => log('debug', message, fields),
    info: (message, fields) => log('info', message, fields),
    warn: (message, fields) => log('warn', message, fields),
    error: (message, fields) => log('error', message, fields),
    child: (fields) => wrap(logger.child(boundFields(fields)), flush),
    flush,
  };
}

/**
 * A logger of lines with `time`, `level`, `message` and the fields; a field's size is bounded, an error is shown with its
 * causes.
 */
export function createLogger(options: LoggerOptions): SystemLogger {
  const sink = options.write === undefined ? standardError() : { write: options.write, flush: () => {} };
  const write =
    options.format === 'json'
      ? (line: string) => sink.write(visibleText(line))
      : (line: string) => sink.write(formatLine(line));
  const logger = pino(
    {
      level: options.level ?? 'info',
      base: null,
      messageKey: 'message',
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write },
  );
  return wrap(logger, sink.flush);
}
