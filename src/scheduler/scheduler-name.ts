export const SCHEDULER_NAME = 'default-scheduler';
