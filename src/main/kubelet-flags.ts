/** Applies the flags about the kubelet's settings on top of the configuration. Pure. */
import type { UpFlags } from '../cli/index.ts';
import type { KubeletSettings } from '../kubelet/index.ts';

export type KubeletFlags = Pick<UpFlags, 'pleg' | 'plegRelistPeriod' | 'runtimeEvents'>;

/** Flags win over `settings`, which come from a file or are the defaults. */
export function withFlags(settings: KubeletSettings, flags: KubeletFlags): KubeletSettings {
  const { pleg, plegRelistPeriod, runtimeEvents } = flags;
  return {
    ...settings,
    pleg: {
      ...settings.pleg,
      ...(pleg === undefined ? {} : { mode: pleg }),
      ...(runtimeEvents ? {} : { mode: 'generic' }),
      ...(plegRelistPeriod === undefined ? {} : { eventedRelistPeriodMs: plegRelistPeriod }),
    },
  };
}
