/**
 * Flags of Node.js for processes in which isolates come and go all the time, as where tests open and close stores. V8 of Node 24
 * sometimes ends such a process: by its tracking of pages of machine code ("jit_page.has_value()", nodejs/node#64500), and, as
 * others report, by its baseline compiler (a segmentation fault while it collects garbage, nodejs/node#62393). A server has one
 * isolate beside its own for as long as it runs. See `test/support/built-worker.ts` for what raised the first of them here.
 */
export const STEADY_V8: readonly string[] = ['--no-memory-protection-keys', '--no-sparkplug'];
