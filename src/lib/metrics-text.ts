/** Formats numbers and labels for the Prometheus text format 0.0.4. */
export function formatNumber(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  if (value === Number.NEGATIVE_INFINITY) return '-Inf';
  return String(value);
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

/** `{a="1",le="0.5"}`, or nothing without labels. Absent labels are written empty. */
export function labelText(names: readonly string[], labels: Readonly<Record<string, string>>, le?: string): string {
  const parts = names.map((name) => `${name}="${escapeLabel(labels[name] ?? '')}"`);
  if (le !== undefined) parts.push(`le="${le}"`);
  return parts.length === 0 ? '' : `{${parts.join(',')}}`;
}
