import { Server } from "@modelcontextprotocol/server";
import { Injectable } from "@nestjs/common";
import type { Asked } from "./asked.js";
import { tasksExtension } from "./calls/abilities.js";
import { McpTasks } from "./calls/mcp-tasks.service.js";
import type { Caller } from "./caller.js";
import { ToolHandlers } from "./tool-handlers.service.js";

const identity = {
  name: "countersign",
  title: "Countersign",
  version: "0.1.0",
};
const instructions =
  "These tools reach the systems and the knowledge of an organization, under its policies. A person may have to approve a call " +
  "first: where a result says that it is pending, tell the user, and call the tool again with exactly the same arguments to " +
  "learn the outcome; it is carried out once, however often it is asked for. What is refused stays refused: do not try to get " +
  "around it with other tools. Cite documents by the title and the address that a search gives.";
/** How long a client may go by a listing that it has; where it listens for changes it hears of them sooner. */
const freshForMs = 30_000;
/** Of an era that has extensions. */
const extensions = { [tasksExtension]: {} };
const listing = { ttlMs: freshForMs, cacheScope: "private" } as const;

/** The SDK's server for one request: which handlers there are never depends on the caller, what they answer does. */
@Injectable()
export class ServerFactory {
  constructor(
    private readonly tools: ToolHandlers,
    private readonly tasks: McpTasks,
  ) {}

  build(caller: Caller, asked: Asked): Server {
    const server = new Server(identity, {
      instructions,
      capabilities: {
        tools: { listChanged: true },
        ...(caller.era === "modern" ? { extensions } : {}),
      },
      cacheHints: { "tools/list": listing, "server/discover": listing },
    });
    this.tools.register(server, caller, asked);
    if (caller.era === "modern") this.tasks.register(server, caller, asked);
    return server;
  }
}
