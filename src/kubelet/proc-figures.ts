/** Parses the usage of the machine and of single processes from /proc. Pure; `machine.node.ts` reads it. */
import { flatKeyed, present, pressureOf } from './cgroup-figures.ts';
import { meminfoBytes } from './machine-facts.ts';
import type { InterfaceFigures, MachineUsage, ProcessFigures } from './figures.ts';

const NANOSECONDS_PER_TICK = 10_000_000;
const MS_PER_TICK = 10;
const PAGE_BYTES = 4096;

export interface MachineTexts {
  /** /proc/stat */
  readonly stat: string;
  readonly meminfo: string;
  readonly vmstat: string;
  /** /proc/net/dev */
  readonly netDev: string;
  readonly pressure: { readonly cpu?: string; readonly memory?: string; readonly io?: string };
  readonly defaultInterface?: string;
}

export function machineUsage(texts: MachineTexts): MachineUsage {
  const { stat, meminfo, defaultInterface } = texts;
  const vmstat = flatKeyed(texts.vmstat);
  const total = meminfoBytes(meminfo, 'MemTotal');
  // As cAdvisor counts the root group, which has no memory.current of its own.
  const usageBytes = Math.max(0, total - meminfoBytes(meminfo, 'MemFree'));
  const workingSetBytes = Math.max(0, usageBytes - meminfoBytes(meminfo, 'Inactive(file)'));
  const pressure = {
    cpu: pressureOf(texts.pressure.cpu),
    memory: pressureOf(texts.pressure.memory),
    io: pressureOf(texts.pressure.io),
  };
  return present({
    bootedAt: bootTime(stat),
    cpu: cpuTimes(stat),
    memory: present({
      totalBytes: total,
      usageBytes,
      workingSetBytes,
      rssBytes: meminfoBytes(meminfo, 'AnonPages'),
      cacheBytes: meminfoBytes(meminfo, 'Cached'),
      swapTotalBytes: meminfoBytes(meminfo, 'SwapTotal'),
      swapFreeBytes: meminfoBytes(meminfo, 'SwapFree'),
      pageFaults: vmstat.get('pgfault'),
      majorPageFaults: vmstat.get('pgmajfault'),
    }),
    interfaces: interfaceFigures(texts.netDev),
    defaultInterface,
    pressure: Object.values(pressure).some(Boolean) ? present(pressure) : undefined,
  }) as MachineUsage;
}

/** Seconds since 1970 of the boot, as wall ms; 0 when it is unknown. */
export function bootTime(stat: string): number {
  return Number(/^btime (\d+)$/m.exec(stat)?.[1] ?? 0) * 1000;
}

/** All that the processors did but being idle or waiting. `undefined` without the first line of /proc/stat. */
function cpuTimes(stat: string): MachineUsage['cpu'] {
  const words = /^cpu +(.+)$/m.exec(stat)?.[1]?.trim().split(/ +/).map(Number);
  if (words === undefined) return undefined;
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = words;
  const kernel = system + irq + softirq;
  return {
    usageNanoseconds: (user + nice + kernel + steal) * NANOSECONDS_PER_TICK,
    userNanoseconds: (user + nice) * NANOSECONDS_PER_TICK,
    systemNanoseconds: kernel * NANOSECONDS_PER_TICK,
  };
}

/** Devices that carry others' traffic or none (cAdvisor leaves the same out). */
const IGNORED_DEVICE = /^(lo$|veth|docker|nerdctl)/;

/** The interfaces of a network namespace in /proc/PID/net/dev. */
export function interfaceFigures(netDev: string): readonly InterfaceFigures[] {
  return netDev.split('\n').flatMap((line) => {
    const [, name = '', rest = ''] = /^\s*([^:\s]+):\s*(.*)$/.exec(line) ?? [];
    if (name === '' || IGNORED_DEVICE.test(name)) return [];
    const words = rest.trim().split(/\s+/).map(Number);
    if (words.length < 12 || words.some(Number.isNaN)) return [];
    const [rxBytes = 0, rxPackets = 0, rxErrors = 0, rxDropped = 0, , , , , txBytes = 0, txPackets = 0, ...more] =
      words;
    const [txErrors = 0, txDropped = 0] = more;
    return [{ name, rxBytes, rxPackets, rxErrors, rxDropped, txBytes, txPackets, txErrors, txDropped }];
  });
}

export interface ProcessTexts {
  /** /proc/PID/stat, /proc/PID/status */
  readonly stat: string;
  readonly status: string;
  readonly limits?: string;
  readonly openFiles?: number;
  /** Wall ms. */
  readonly bootedAt: number;
}

/** `undefined` for a text that is no /proc/PID/stat. */
export function processFigures(texts: ProcessTexts): ProcessFigures | undefined {
  const { stat, status, limits, openFiles, bootedAt } = texts;
  // The command's name may contain spaces and brackets: the figures begin after the last bracket.
  const words = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const at = (field: number): number => Number(words[field - 3] ?? Number.NaN);
  if (words.length < 22 || Number.isNaN(at(22))) return undefined;
  const maxOpenFiles = Number(/^Max open files\s+(\d+)/m.exec(limits ?? '')?.[1] ?? Number.NaN);
  return present({
    startedAt: bootedAt + at(22) * MS_PER_TICK,
    cpuNanoseconds: (at(14) + at(15)) * NANOSECONDS_PER_TICK,
    virtualBytes: at(23),
    residentBytes: at(24) * PAGE_BYTES,
    anonymousBytes: meminfoBytes(status, 'RssAnon'),
    pageFaults: at(10),
    majorPageFaults: at(12),
    openFiles,
    maxOpenFiles: Number.isNaN(maxOpenFiles) ? undefined : maxOpenFiles,
  }) as ProcessFigures;
}
