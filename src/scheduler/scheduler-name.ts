/** The name under which pods ask for this scheduler. */
export const SCHEDULER_NAME = 'default-scheduler';
