/**
 * Parses the kernel's log about processes that it killed for memory. Formats: mm/oom_kill.c (`oom-kill:` since 5.0, `Killed
 * process`) and mm/memcontrol.c (`memory: usage`), as /dev/kmsg shows them ("level,sequence,microseconds,flags;text"). Pure,
 * except that it remembers what spans several lines.
 */

export interface OomReport {
  /** The last part of the killed process' memory cgroup that is a container's id. */
  readonly containerId: string;
  readonly name: string;
  /** As the machine's own namespace numbers it. */
  readonly pid: number;
  readonly rssBytes?: number;
  /** The group whose limit it was; absent: the whole machine was short of memory. */
  readonly limitBytes?: number;
  readonly usageBytes?: number;
}

const KIB = 1024;
const CONTAINER_ID = /[0-9a-f]{64}/g;
const MEMCG_USAGE = /^memory: usage (\d+)kB, limit (\d+)kB/;
const OOM_KILL = /^oom-kill:constraint=(\w+),.*\btask_memcg=([^,]*),task=(.*),pid=(\d+),uid=\d+/;
const KILLED =
  /^(?:Memory cgroup out of memory|Out of memory(?: \([^)]*\))?): Killed process (\d+) \((.*)\) total-vm:.*?\banon-rss:(\d+)kB, file-rss:(\d+)kB(?:, shmem-rss:(\d+)kB)?/;

interface Victim {
  readonly containerId: string | undefined;
  readonly limited: boolean;
  /** Processes that this verdict has named: a group's first one is named again with the group. */
  readonly pids: Set<number>;
}

export class KernelOomReader {
  #group: { readonly usageBytes: number; readonly limitBytes: number } | undefined;
  #victim: Victim | undefined;
  #open = '';

  /** One record of /dev/kmsg; a report when it completes one. */
  read(record: string): OomReport | undefined {
    if (!isOfKernel(record)) return undefined;
    const text = this.#joined(record);
    const usage = MEMCG_USAGE.exec(text);
    if (usage !== null) {
      this.#group = { usageBytes: Number(usage[1]) * KIB, limitBytes: Number(usage[2]) * KIB };
      return undefined;
    }
    const kill = OOM_KILL.exec(text);
    if (kill !== null) {
      this.#victim = { containerId: lastId(kill[2] ?? ''), limited: kill[1] === 'CONSTRAINT_MEMCG', pids: new Set() };
      return undefined;
    }
    return this.#killed(text);
  }

  /** With memory.oom.group several processes of one group follow one verdict. */
  #killed(text: string): OomReport | undefined {
    const killed = KILLED.exec(text);
    const { containerId, pids } = this.#victim ?? {};
    if (killed === null || containerId === undefined || pids === undefined) return undefined;
    const [, number, name = '', anon, file, shmem] = killed;
    const pid = Number(number);
    if (pids.has(pid)) return undefined;
    pids.add(pid);
    const rssBytes = (Number(anon) + Number(file) + Number(shmem ?? 0)) * KIB;
    return {
      containerId,
      name,
      pid,
      rssBytes,
      ...(this.#victim?.limited === true ? this.#group : {}),
    };
  }

  /** The kernel prints the verdict in pieces; another processor's words may come between them. */
  #joined(record: string): string {
    const text = textOf(record);
    if (text.startsWith('oom-kill:') && !/,pid=\d+,uid=/.test(text)) {
      this.#open = text;
      return '';
    }
    if (this.#open !== '' && text.startsWith(',')) {
      const joined = this.#open + text;
      this.#open = /,pid=\d+,uid=/.test(joined) ? '' : joined;
      return this.#open === '' ? joined : '';
    }
    return text;
  }
}

/** Others may write there, too: theirs have a facility, which is in the level's higher bits. */
function isOfKernel(record: string): boolean {
  return /^[0-7],/.test(record);
}

/** The first line after the head; further lines are fields of devices. */
function textOf(record: string): string {
  const start = record.indexOf(';') + 1;
  const end = record.indexOf('\n', start);
  return record.slice(start, end === -1 ? undefined : end);
}

/** A pod's group and its container's may both be in the path; a sandbox' id is like a container's. */
function lastId(path: string): string | undefined {
  return [...path.matchAll(CONTAINER_ID)].at(-1)?.[0];
}
