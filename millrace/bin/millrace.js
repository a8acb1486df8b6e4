#!/usr/bin/env node
await import('@millrace/cli/bin');
