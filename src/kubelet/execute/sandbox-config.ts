/** A pod's sandbox as the runtime takes it (upstream: kuberuntime_sandbox.go generatePodSandboxConfig). Pure. */
import type { Pod } from '../../api/index.ts';
import type { SandboxConfig } from '../../cri/index.ts';
import { portMappings } from '../pods/host-ports.ts';
import { INSTANCE_LABEL } from '../pods/ownership.ts';
import { POD_NAME_LABEL, POD_NAMESPACE_LABEL, POD_UID_LABEL } from '../plan/labels.ts';
import type { Dns } from './dns.ts';
import { sandboxSecurity } from './security.ts';

export interface SandboxConfigInput {
  readonly pod: Pod;
  readonly attempt: number;
  readonly instanceId: string;
  readonly logDirectory: string;
  readonly cgroupParent: string;
  /** The output of `hostname`; empty on the host network. */
  readonly hostname: string;
  readonly dns: Dns;
  /** False: host ports are rules of ours, and the runtime is not to make them, too. */
  readonly mapsPorts: boolean;
}

export function sandboxConfig({ pod, attempt, ...given }: SandboxConfigInput): SandboxConfig {
  const { name = '', namespace = '', uid = '' } = pod.metadata ?? {};
  const spec = pod.spec ?? { containers: [] };
  return {
    metadata: { name, namespace, uid, attempt },
    hostname: given.hostname,
    logDirectory: given.logDirectory,
    dns: given.dns,
    portMappings: given.mapsPorts ? portMappings(pod) : [],
    labels: {
      ...pod.metadata?.labels,
      [POD_NAME_LABEL]: name,
      [POD_NAMESPACE_LABEL]: namespace,
      [POD_UID_LABEL]: uid,
      [INSTANCE_LABEL]: given.instanceId,
    },
    annotations: { ...pod.metadata?.annotations },
    cgroupParent: given.cgroupParent,
    namespaces: {
      network: spec.hostNetwork === true ? 'node' : 'pod',
      pid: spec.hostPID === true ? 'node' : spec.shareProcessNamespace === true ? 'pod' : 'container',
      ipc: spec.hostIPC === true ? 'node' : 'pod',
    },
    sysctls: Object.fromEntries((spec.securityContext?.sysctls ?? []).map((sysctl) => [sysctl.name, sysctl.value])),
    security: sandboxSecurity(pod),
  };
}
