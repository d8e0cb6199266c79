// Drives an adapter with Microsoft's own DAP test client, over stdio, and prints one JSON line a stop.
// usage: node debug_client.mjs MODULES PYTHON ADAPTER RECORDING FLOW LINE SLOT
import { createRequire } from 'node:module';

const [modules, python, adapter, recording, flow, line, slot] = process.argv.slice(2);
const { DebugClient } = createRequire(`${modules}/x.js`)('@vscode/debugadapter-testsupport');
const client = new DebugClient(python, adapter, 'state-program');
client.defaultTimeout = 20000;
const thread = { threadId: 1 };

async function rows(reference) {
  return (await client.variablesRequest({ variablesReference: reference })).body.variables;
}

async function shown() {
  const frames = (await client.stackTraceRequest({ threadId: 1 })).body.stackFrames;
  const scopes = (await client.scopesRequest({ frameId: frames[0].id })).body.scopes;
  const slots = await rows(scopes[0].variablesReference);
  const position = await rows(scopes.find((scope) => scope.name === 'Position').variablesReference);
  const told = Object.fromEntries(position.map((row) => [row.name, row.value]));
  return {
    frames: frames.map((frame) => [frame.name, frame.line]),
    slots: Object.fromEntries(slots.map((row) => [row.name, row.value])),
    cursor: Number(told.event_index),
    hash: told.hash,
  };
}

async function move(command) {
  const [stop] = await Promise.all([client.waitForEvent('stopped'), client.send(command, thread)]);
  const { reason, description, text } = stop.body;
  console.log(JSON.stringify({ command, reason, description, text, ...(await shown()) }));
}

await client.start();
const capabilities = (await client.initializeRequest()).body;
console.log(JSON.stringify({ command: 'initialize', stepBack: capabilities.supportsStepBack }));
await Promise.all([
  client.launchRequest({ recording, stopAt: 'end' }),
  client.waitForEvent('initialized').then(async () => {
    const set = { source: { path: flow }, breakpoints: [{ line: Number(line) }] };
    const [breakpoint] = (await client.setBreakpointsRequest(set)).body.breakpoints;
    console.log(JSON.stringify({ command: 'setBreakpoints', verified: breakpoint.verified }));
    await client.configurationDoneRequest();
  }),
  client.waitForEvent('stopped'),
]);
const info = (await client.send('dataBreakpointInfo', { name: slot })).body;
await client.send('setDataBreakpoints', { breakpoints: [{ dataId: info.dataId }] });
for (const command of ['reverseContinue', 'reverseContinue', 'reverseContinue', 'reverseContinue']) {
  await move(command);
}
for (const command of ['continue', 'continue', 'continue', 'continue']) {
  await move(command);
}
for (const command of ['stepBack', 'stepBack', 'next', 'next', 'next']) {
  await move(command);
}
await client.stop();
console.log(JSON.stringify({ command: 'stop' }));
process.exit(0);
