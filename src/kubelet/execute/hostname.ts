/** The hostname inside a pod (upstream: GeneratePodHostNameAndDomain, GetNodenameForKernel). Pure. */
import type { Pod } from '../../api/index.ts';
import { MAX_HOSTNAME_LABEL, MAX_KERNEL_HOSTNAME } from './limits.ts';

export interface PodHostname {
  readonly hostname: string;
  /** Empty without a `subdomain`: the pod has a name and no address in DNS. */
  readonly domain: string;
}

/** `hostnameOverride` is the whole name, and there is no domain beside it. */
export function podHostname(pod: Pod, clusterDomain: string): PodHostname {
  const { hostnameOverride, hostname = '', subdomain = '' } = pod.spec ?? {};
  if (hostnameOverride !== undefined) return { hostname: hostnameOverride, domain: '' };
  const name = hostname === '' ? (pod.metadata?.name ?? '') : hostname;
  const namespace = pod.metadata?.namespace ?? 'default';
  return {
    hostname: name.slice(0, MAX_HOSTNAME_LABEL).replace(/[-.]+$/, ''),
    domain: subdomain === '' ? '' : `${subdomain}.${namespace}.svc.${clusterDomain}`,
  };
}

/** The output of `hostname` in the pod. Throws when `setHostnameAsFQDN` asks for more than the kernel accepts. */
export function kernelHostname(pod: Pod, clusterDomain: string): string {
  const { hostname, domain } = podHostname(pod, clusterDomain);
  if (pod.spec?.setHostnameAsFQDN !== true || domain === '') return hostname;
  const full = `${hostname}.${domain}`;
  if (full.length <= MAX_KERNEL_HOSTNAME) return full;
  throw new Error(
    `failed to construct FQDN from pod hostname and cluster domain, FQDN ${full} is too long ` +
      `(${MAX_KERNEL_HOSTNAME} characters is the max, ${full.length} characters requested)`,
  );
}
