/** Reads what `apt-get -s install` says it would do, and judges it. Pure. */
export interface PackageVersion {
  readonly name: string;
  readonly version: string;
}

export interface AptPlan {
  readonly installs: readonly PackageVersion[];
  /** Packages that are installed and would get another version. */
  readonly changes: readonly (PackageVersion & { readonly from: string })[];
  readonly removals: readonly PackageVersion[];
}

/** @param output of `LC_ALL=C apt-get -s install …`: lines "Inst NAME [OLD] (NEW …", "Remv NAME [OLD]", "Purg NAME [OLD]" */
export function parseSimulation(output: string): AptPlan {
  const installs: PackageVersion[] = [];
  const changes: (PackageVersion & { from: string })[] = [];
  const removals: PackageVersion[] = [];
  for (const line of output.split('\n')) {
    const match = /^(Inst|Remv|Purg) (\S+)(?: \[([^\]]*)\])?(?: \((\S+))?/.exec(line);
    if (match === null) continue;
    const [, action, name = '', from, version = ''] = match;
    if (action !== 'Inst') removals.push({ name, version: from ?? '' });
    else if (from !== undefined) changes.push({ name, version, from });
    else installs.push({ name, version });
  }
  return { installs, changes, removals };
}

/** Other vendors' packages with containerd or runc: they cannot be mixed with Debian's. */
const foreignRuntimes = new Set([
  'containerd.io',
  'docker-ce',
  'docker-ce-cli',
  'docker-ee',
  'moby-containerd',
  'moby-engine',
  'moby-runc',
  'nvidia-container-runtime',
]);

/** Why this plan must not be carried out; `undefined` when it only adds packages. */
export function objection(plan: AptPlan): string | undefined {
  const harm = [
    ...plan.removals.map(({ name, version }) => `remove ${name} ${version}`.trimEnd()),
    ...plan.changes.map(({ name, from, version }) => `change ${name} from ${from} to ${version}`),
  ];
  if (harm.length === 0) return undefined;
  const foreign = [...plan.removals, ...plan.changes].some(({ name }) => foreignRuntimes.has(name));
  return (
    `apt-get would ${harm.join(', ')}, and mendlet changes nothing that is installed` +
    (foreign ? '; use the containerd that is there with --runtime unix:///run/containerd/containerd.sock' : '')
  );
}
