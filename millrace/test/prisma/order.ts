import type { Millrace } from 'millrace';
import { confirmOrder } from '../documented/orders.ts';
import type { PrismaClient } from './client.ts';

export async function order(
  prisma: PrismaClient,
  millrace: Millrace,
  article: string,
): Promise<void> {
  await prisma.$transaction(async (tx) => {
    await tx.order.create({ data: { article } });
    await millrace.enqueue(confirmOrder, { article }, { transaction: tx });
  });
}
