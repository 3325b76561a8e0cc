/** A crash of a pod, timed by the workload itself. */
import { busyboxPod, type Mendlet, type outFolder, until } from '../e2e/harness.ts';

/**
 * Crashes a new pod once.
 * @param labels of the pod, for a service in front of it
 * @returns seconds from the workload's last output to its next first one
 */
export async function oneCrash(
  mendlet: Mendlet,
  out: ReturnType<typeof outFolder>,
  name: string,
  run: number,
  labels: Readonly<Record<string, string>> = {},
): Promise<number> {
  const script = `echo s $(cat /proc/uptime) >>/out/${name}; [ $(wc -l </out/${name}) -gt 2 ] && exec sleep 600; sleep 1.${run % 10}; echo e $(cat /proc/uptime) >>/out/${name}; exit 1`;
  const spec = { ...out.spec, terminationGracePeriodSeconds: 0 };
  await mendlet.create(busyboxPod(name, script, { metadata: { labels }, spec, container: out.mount }));
  await until(`${name} to run again`, async () =>
    out.lines(name).length >= 3 ? { value: true } : { last: out.lines(name).join() },
  );
  const at = out.lines(name).map((line) => Number(line.split(' ')[1]));
  return at[2]! - at[1]!;
}
