/** Python: tracebacks, gunicorn's and uvicorn's closings. */
import { anyOf } from '../any-of.ts';
import type { Dialect } from './dialect.ts';

export const python: Dialect = {
  name: 'python',
  recognises: anyOf(
    /^Traceback \(most recent call last\):/,
    /^\s+File "[^"]+", line \d+/,
    /\bBooting worker with pid/,
    /\bUvicorn running on/,
    /^\S+\.py:\d+: \w*Warning/,
    /^python\d?(?:\.\d+)?: /,
    /^\[Errno \d+\] [A-Z]/,
  ),
  noise: anyOf(
    /^Traceback \(most recent call last\):/,
    /^During handling of the above exception/,
    /^The above exception was the direct cause/,
    /^\(Background on this error at/,
    /^\[SQL: /,
    /^\[parameters: /,
    /^exitcode: /,
    /^Exception ignored in/,
    /^Task was destroyed but it is pending/,
    /^task: <Task /,
    /^Unclosed (?:client session|connection)/,
    /^sys:\d+: /,
    /Is the server running (?:on that host|locally)/,
    /^\s*\^+/,
    /^Aborted!$/,
    /^Quit the server with/,
    /^System check identified/,
    /^Performing system checks/,
    /^Watching for file changes/,
    /^Press CTRL\+C/,
    /^Current thread 0x/,
    /^Python path configuration/,
    /^Thread 0x/,
  ),
  consequence: anyOf(
    /^Exception in worker process/,
    /^Worker exiting/,
    /^Shutting down: Master/,
    /^Reason: (?:Worker|App) failed/,
    /^Worker \(pid:\d+\) (?:exited|was sent)/,
    /^(?:Application startup failed|Finished server process|Stopping reloader|Started reloader)/,
    /^Can't connect to \(/,
    /^SystemExit/,
    /^Fatal Python error: init_/,
  ),
  // A logger that takes standard error may take a traceback apart; what the system said is its last piece.
  decisive: anyOf(
    /^\[Errno \d+\] [A-Z]/,
    // Celery prints the key of its own table below, as the error.
    /^Received unregistered task of type /,
  ),
  recovery: anyOf(
    /^Booting worker with pid/,
    /\bUvicorn running on/,
    /Application startup complete/,
    /\bListening at: http/,
    /\* Running on http/,
    /^Starting development server at/,
  ),
  request: anyOf(
    /^Error handling request/,
    /\bException on \/\S* \[[A-Z]+\]/,
    /^Internal Server Error: \//,
    /^(?:Not Found|Bad Request|Forbidden)(?: \([^)]*\))?: \//,
    /^Exception in ASGI application/,
  ),
};
