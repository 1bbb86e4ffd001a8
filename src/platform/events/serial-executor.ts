/** Runs tasks one at a time, in the order of the calls. A failed task does not stop the next one. */
export class SerialExecutor {
  private last: Promise<unknown> = Promise.resolve();

  run<T>(task: () => Promise<T>): Promise<T> {
    const result = this.last.then(task);
    this.last = result.catch(() => undefined); // the caller of the task handles its error
    return result;
  }
}
