/** Ids of tasks that a runner may claim. */
export const dueTopic = 'tasks.due';
