/** A webhook as the vendor signs it. */
export interface SignedWebhook {
  headers: Record<string, string>;
  body: string | Buffer<ArrayBuffer>;
}

/** Sends the webhooks of a simulator. Unlike most vendors, it does not retry. */
export class WebhookSender {
  /** Deliveries that failed: the status of the receiver, or the error of the connection. */
  readonly failures: string[] = [];
  private readonly pending = new Set<Promise<void>>();
  private url: string | undefined;

  /** Sends webhooks to this address from now on. */
  subscribe(url: string): void {
    this.url = url;
  }

  /** Does nothing without a subscriber. `sign` runs only if there is one. */
  send(sign: () => SignedWebhook): void {
    if (this.url === undefined) return;
    const delivery = this.deliver(this.url, sign());
    this.pending.add(delivery);
    void delivery.finally(() => this.pending.delete(delivery));
  }

  /** Resolves when all deliveries so far have succeeded or failed. */
  async settled(): Promise<void> {
    await Promise.all(this.pending);
  }

  private async deliver(url: string, { headers, body }: SignedWebhook): Promise<void> {
    try {
      const response = await fetch(url, { method: 'POST', headers, body });
      await response.body?.cancel();
      if (!response.ok) this.failures.push(`status ${response.status}`);
    } catch (error) {
      const { message, cause } = error as Error;
      this.failures.push(cause instanceof Error ? cause.message : message);
    }
  }
}
