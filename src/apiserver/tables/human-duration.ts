/** Durations as kubectl's columns show them (upstream: apimachinery's `duration.HumanDuration`). */

/** A short text of `ms` milliseconds: two units while that says something, one when it no longer does. */
export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.trunc(seconds / 60);
  if (minutes < 10) return withRest(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.trunc(minutes / 60);
  if (hours < 8) return withRest(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.trunc(hours / 24);
  if (days < 8) return withRest(days, 'd', hours % 24, 'h');
  if (days < 730) return `${days}d`;
  const years = Math.trunc(days / 365);
  if (years < 8) return withRest(years, 'y', days % 365, 'd');
  return `${years}y`;
}

function withRest(main: number, unit: string, rest: number, restUnit: string): string {
  return rest === 0 ? `${main}${unit}` : `${main}${unit}${rest}${restUnit}`;
}
