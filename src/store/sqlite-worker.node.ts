/**
 * The store's worker thread: takes all calls that have queued up, runs them in one transaction, and answers after its commit.
 * So writes that come during a commit share the next one, and nothing is acknowledged before it is on the disk. An entry
 * point of its own when bundled (`dist/store-worker.js`).
 */
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { assert, assertNever, errorMessage } from '../lib/index.ts';
import { MAX_BATCH_CALLS } from './limits.ts';
import { AcknowledgedFile } from './acknowledged.node.ts';
import { openLog } from './log-open.node.ts';
import { toOpenError } from './sqlite-open.node.ts';
import { OpenFiles } from './open-files.node.ts';
import { rescueLog } from './log-rescue.node.ts';
import { SqliteLog } from './sqlite-log.node.ts';
import type { FailureCode, WorkerMessage, WorkerOptions, WorkerReply, WorkerRequest } from './sqlite-messages.ts';
import { SQLITE_FULL, sqliteCode } from './sqlite-code.ts';
import { StoreError, type StoreEvent, StoreOpenError } from './store.ts';

function isWrite(request: WorkerRequest): boolean {
  return request.op === 'put' || request.op === 'delete' || request.op === 'compact';
}

class StoreWorker {
  readonly #port: MessagePort;
  readonly #options: WorkerOptions;
  readonly #record: AcknowledgedFile;
  readonly #notes: readonly string[];
  #log: SqliteLog;
  #files: OpenFiles;
  #damageTold: number;
  #sweeping = false;
  #closed = false;

  constructor(port: MessagePort, options: WorkerOptions) {
    this.#port = port;
    this.#options = options;
    const { log, notes } = openLog(options);
    this.#log = new SqliteLog(log);
    this.#damageTold = this.#log.damageVersion;
    this.#files = new OpenFiles(options.path);
    this.#record = new AcknowledgedFile(options.path);
    const problem = this.#acknowledge();
    this.#notes = problem === undefined ? notes : [...notes, `${options.path}.acknowledged: ${problem}`];
  }

  start(): void {
    const { revision, compacted, damaged } = this.#log;
    const expiring = this.#log.expiring();
    this.#say({ type: 'opened', revision, compacted, expiring, damaged, notes: this.#notes });
    this.#port.on('message', (requests: readonly WorkerRequest[]) => this.#take(requests));
    this.#planSweep();
  }

  /** Runs everything that has arrived. */
  #take(first: readonly WorkerRequest[]): void {
    const batch = [...first];
    while (batch.length < MAX_BATCH_CALLS && batch.at(-1)?.op !== 'close') {
      const next: { message: readonly WorkerRequest[] } | undefined = receiveMessageOnPort(this.#port);
      if (next === undefined) break;
      batch.push(...next.message);
    }
    const replies = this.#run(batch);
    if (replies === undefined) return;
    this.#tellDamage();
    this.#say({ type: 'replies', replies });
    if (batch.at(-1)?.op === 'close') this.#close();
    else this.#planSweep();
  }

  /** `undefined`: the file could not be opened again after an error; that has been said. */
  #run(batch: readonly WorkerRequest[]): WorkerReply[] | undefined {
    if (!batch.some(isWrite)) return batch.map((request) => this.#answer(request));
    try {
      // Nothing is acknowledged that only a file has which is gone.
      const replies = this.#areFilesGone(this.#files.cut())
        ? undefined
        : this.#log.transaction(() => batch.map((request) => this.#answer(request)));
      if (replies === undefined || this.#areFilesGone(this.#files.look())) return undefined;
      this.#acknowledge();
      return replies;
    } catch (error) {
      if (sqliteCode(error) === SQLITE_FULL) return this.#runOneByOne(batch, error);
      return this.#recover(batch, error);
    }
  }

  /** True: the store's file was removed while it was open; its content is saved, and the store ends. */
  #areFilesGone(problem: string | undefined): boolean {
    if (problem === undefined) return false;
    this.#closed = true;
    this.#fail(new StoreOpenError('failed', `${problem}; ${rescueLog(this.#log, this.#options.path)}`));
    return true;
  }

  #acknowledge(): string | undefined {
    const { identity, revision, compacted, swept, tally } = this.#log;
    return this.#record.write({ identity, revision, compacted, swept, ...tally });
  }

  #tellDamage(): void {
    if (this.#damageTold === this.#log.damageVersion) return;
    this.#damageTold = this.#log.damageVersion;
    this.#say({ type: 'damaged', damaged: this.#log.damaged });
  }

  /** One call was too much for the disk; the others need not fail with it. */
  #runOneByOne(batch: readonly WorkerRequest[], error: unknown): WorkerReply[] | undefined {
    if (batch.length === 1)
      return batch.map(({ id }) => ({ id, ok: false, code: 'full', message: errorMessage(error) }));
    const replies: WorkerReply[] = [];
    for (const request of batch) {
      const reply = this.#run([request]);
      if (reply === undefined) return undefined;
      replies.push(...reply);
    }
    return replies;
  }

  /**
   * After an I/O error at commit only the file shows whether the transaction is in it (the kernel forgets dirty pages whose
   * write failed). So it is read again, and rows beyond the last answer are sent as events.
   */
  #recover(batch: readonly WorkerRequest[], error: unknown): WorkerReply[] | undefined {
    const { revision } = this.#log;
    const message = errorMessage(error);
    this.#log.close();
    try {
      const { log, notes } = openLog({ ...this.#options, mayBegin: false });
      this.#log = new SqliteLog(log);
      this.#files = new OpenFiles(this.#options.path);
      if (notes.length > 0) this.#say({ type: 'notes', notes });
      this.#say({ type: 'damaged', damaged: this.#log.damaged });
      this.#damageTold = this.#log.damageVersion;
    } catch (openError) {
      this.#closed = true;
      this.#fail(new StoreOpenError('failed', `${message}; then ${errorMessage(openError)}`));
      return undefined;
    }
    const late = this.#lateEvents(revision);
    if (late === undefined) return undefined;
    this.#acknowledge();
    if (late.length > 0) this.#say({ type: 'recovered', events: late, expiring: this.#log.expiring() });
    return batch.map((request) =>
      isWrite(request) ? { id: request.id, ok: false, code: 'unknown', message } : this.#answer(request),
    );
  }

  /** `undefined`: they can no longer be sent, and watchers would miss them; the store ends, and everything is read again. */
  #lateEvents(revision: number): readonly StoreEvent[] | undefined {
    if (this.#log.revision === revision) return [];
    try {
      return this.#log.events('', revision, MAX_BATCH_CALLS).events;
    } catch (error) {
      this.#closed = true;
      this.#fail(new StoreOpenError('failed', errorMessage(error)));
      return undefined;
    }
  }

  #answer(request: WorkerRequest): WorkerReply {
    try {
      return { id: request.id, ok: true, result: this.#perform(request) };
    } catch (error) {
      if (error instanceof StoreError) {
        const about = error.revision === undefined ? {} : { revision: error.revision };
        return { id: request.id, ok: false, code: toFailureCode(error), message: error.message, ...about };
      }
      // An error of SQLite's in a write undoes the whole transaction; in a read it is an answer.
      if (isWrite(request)) throw error;
      return { id: request.id, ok: false, code: 'unknown', message: errorMessage(error) };
    }
  }

  #perform(request: WorkerRequest): unknown {
    switch (request.op) {
      case 'get':
        return { entry: this.#log.get(request.key), revision: this.#log.revision };
      case 'list':
        return this.#log.list(request.prefix, request.options);
      case 'put':
        return this.#log.put(request.key, request.value, request.expected, request.expiry);
      case 'delete':
        return this.#log.delete(request.key, request.expected);
      case 'events':
        return this.#log.events(request.prefix, request.after, request.limit);
      case 'history':
        return this.#log.history(request.prefix, request.after, request.options);
      case 'compact':
        this.#log.compact(request.revision);
        return null;
      case 'close':
        return null;
      default:
        return assertNever(request);
    }
  }

  #planSweep(): void {
    if (this.#sweeping || this.#closed) return;
    this.#sweeping = true;
    setImmediate(() => {
      this.#sweeping = false;
      if (this.#closed) return;
      let more = false;
      try {
        more = this.#log.transaction(() => this.#log.sweep(this.#options.sweepRevisions));
        if (this.#areFilesGone(this.#files.look())) return;
        this.#acknowledge();
      } catch {
        // A full disk: the rows stay until the next compaction. Any worse error shows at the next write.
      }
      if (more) this.#planSweep();
    });
  }

  #close(): void {
    this.#closed = true;
    this.#log.close();
    this.#record.close();
    this.#port.close();
  }

  #fail(error: StoreOpenError): void {
    this.#say({ type: 'failed', code: error.code, message: error.message });
    this.#port.close();
  }

  #say(message: WorkerMessage): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a message port, not a window
    this.#port.postMessage(message);
  }
}

function toFailureCode(error: StoreError): FailureCode {
  const { code } = error;
  return code === 'compacted' || code === 'future' || code === 'damaged' ? code : 'unknown';
}

function isOptions(value: unknown): value is WorkerOptions {
  return typeof value === 'object' && value !== null && 'path' in value && typeof value.path === 'string';
}

const port = parentPort;
const options: unknown = workerData;
assert(port !== null && isOptions(options), 'the store worker was started without its options');
try {
  new StoreWorker(port, options).start();
} catch (error) {
  const { code, message } = toOpenError(error, options.path);
  port.postMessage({ type: 'failed', code, message } satisfies WorkerMessage);
  port.close();
}
