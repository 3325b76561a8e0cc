import { describe, expect, it } from 'vitest';
import { KernelOomReader, type OomReport } from './kernel-oom.ts';

const ID = '135033f0464d645899b446e8f163b891b2b518b436cbc0f3455542ca38d3379a';
const POD = '/mendlet-a/kubepods/burstable/podf6b2f827';

function read(...records: string[]): readonly OomReport[] {
  const reader = new KernelOomReader();
  return records.flatMap((record) => reader.read(record) ?? []);
}

const usage = '6,1,100,-;memory: usage 16384kB, limit 16384kB, failcnt 9829';
const verdict = (memcg: string, constraint = 'CONSTRAINT_MEMCG', task = 'tail') =>
  `6,2,100,-;oom-kill:constraint=${constraint},nodemask=(null),cpuset=${ID},mems_allowed=0,oom_memcg=${POD},task_memcg=${memcg},task=${task},pid=7366,uid=0`;
const killed = (pid = 7366, name = 'tail') =>
  `3,3,100,-;Memory cgroup out of memory: Killed process ${pid} (${name}) total-vm:17944kB, anon-rss:15744kB, file-rss:1296kB, shmem-rss:4kB, UID:0 pgtables:76kB oom_score_adj:999`;
const report = {
  containerId: ID,
  name: 'tail',
  pid: 7366,
  rssBytes: (15744 + 1296 + 4) * 1024,
  limitBytes: 16384 * 1024,
  usageBytes: 16384 * 1024,
};

describe('the kernel log', () => {
  it.each([
    ['cgroupfs', `${POD}/${ID}`],
    ['systemd', `/mendlet.slice/mendlet-pod1.slice/cri-containerd-${ID}.scope`],
  ])('names the container of a killed process (%s)', (_name, memcg) => {
    expect(read(usage, verdict(memcg), killed())).toEqual([report]);
  });

  it('is read in pieces, with others between them', () => {
    const whole = verdict(`${POD}/${ID}`);
    const at = whole.indexOf(',task_memcg');
    const pieces = [whole.slice(0, at), '6,9,100,-;eth0: something else', `6,2,101,c;${whole.slice(at)}`];
    expect(read(usage, ...pieces, killed())).toEqual([report]);
  });

  it('names all of a group that is killed as one', () => {
    const found = read(usage, verdict(`${POD}/${ID}`), killed(), killed(7367, 'a (b) c'));
    expect(found.map(({ pid, name }) => [pid, name])).toEqual([
      [7366, 'tail'],
      [7367, 'a (b) c'],
    ]);
  });

  it.each([
    ['first', [7366, 7367, 7366]],
    ['last', [7367, 7366, 7366]],
    ['among many', [7366, 7367, 7366, 7368, 7366]],
  ])('names one of them once, whom the verdict names and then the group (%s)', (_name, pids) => {
    const group = '3,3,100,-;Tasks in /x.scope are going to be killed due to memory.oom.group set';
    const [head, ...rest] = pids.map((pid) => killed(pid));
    const found = read(usage, verdict(`${POD}/${ID}`), head ?? '', group, ...rest);
    expect(found.map(({ pid }) => pid)).toEqual([...new Set(pids)]);
  });

  it('names a process of a later verdict though its number was used before', () => {
    const once = [usage, verdict(`${POD}/${ID}`), killed()];
    expect(read(...once, ...once)).toEqual([report, report]);
  });

  it('tells no limit where the whole machine was short', () => {
    const global = killed().replace('Memory cgroup out of memory', 'Out of memory');
    const [found] = read(usage, verdict(`${POD}/${ID}`, 'CONSTRAINT_NONE'), global);
    expect(found).toEqual({ containerId: ID, name: 'tail', pid: 7366, rssBytes: report.rssBytes });
  });

  it.each([
    ['a process of no container', [verdict('/user.slice'), killed()]],
    ['a kill without its verdict', [killed()]],
    ['other words', ['6,1,1,-;veth1: entered disabled state\n SUBSYSTEM=net', 'nonsense', '']],
    ['what somebody else wrote there', [verdict(`${POD}/${ID}`), killed()].map((each) => each.replace(/^./, '12'))],
  ])('says nothing of %s', (_name, records) => {
    expect(read(...records)).toEqual([]);
  });
});
